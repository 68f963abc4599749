// SPDX-License-Identifier: Apache-2.0
// Listens, serves a router's methods, and drains gracefully.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import AtrestTLS
import Synchronization

/// A gRPC server: listeners, shards and a router. Stop it with `drain`.
public final class GRPCServer: Sendable {
  /// A server's configuration.
  public struct Configuration: Sendable {
    /// Bounds on every connection.
    public var limits = Limits.default
    /// Number of shards. Each uses up to one core.
    public var shardCount = 2
    /// Maximum connections.
    public var maxConnections = 10_000
    /// Maximum connections per IPv4 address or IPv6 /64.
    public var maxConnectionsPerPeer = 1_000
    /// Maximum unauthenticated connections (see `Authorization`). At the limit, a new one evicts
    /// the oldest.
    public var maxUnauthenticatedConnections = 1_500
    /// Maximum connections per peer that have not completed the TLS and HTTP/2 handshakes.
    public var maxHandshakesPerPeer = 200
    /// Maximum active calls per `CallerGrant`, over all connections.
    public var maxCallsPerGrant = 100
    /// Bytes that peers may make all connections buffer with unfinished requests and unread
    /// responses; at least 10 MiB per shard. Above it, the connections that buffer the most for the
    /// longest are closed, unauthenticated ones first.
    public var maxBufferedBytes = 24 * 1024 * 1024
    /// Maximum bytes a stream writer may buffer beyond `limits.streamQueueBytes` before its reader
    /// counts as too slow.
    public var streamWriterBytes = 256 * 1024
    /// Maximum messages a stream writer may buffer before its reader counts as too slow.
    public var streamWriterMessages = 4_096
    /// Files for browsers. Nil: whatever is not a call is refused.
    public var site: WebSite?
    /// Called on the shard with the path and error when a handler throws and the caller receives
    /// UNKNOWN. The error may hold private data: log its type only.
    public var onHandlerError: (@Sendable (_ path: String, any Error) -> Void)?
    /// Called on the shard when a call has ended; must not block. See ``CallMetrics``.
    public var onCallEnd: (@Sendable (EndedCall) -> Void)?

    /// Creates the default configuration.
    public init() {}

    /// Minimum share of `maxBufferedBytes` per shard, in bytes: more than one connection buffers by
    /// default.
    private static let leastBufferedBytesPerShard = 10 * 1024 * 1024

    /// Maximum bytes buffered by the connections of one shard together.
    package var maxBufferedBytesPerShard: Int {
      max(Self.leastBufferedBytesPerShard, maxBufferedBytes / max(1, shardCount))
    }
  }

  private struct State {
    var listeners: [Listener] = []
    var isDraining = false
  }

  /// The server's shards, for actors and timers of its services.
  public let shards: [Shard]
  private let contexts: [ShardBound<ServerShard>]
  private let configuration: Configuration
  private let budget: ConnectionBudget
  private let counters = ServerCounters()
  private let state = Mutex(State())
  private let end = OneShotEvent()
  /// The balances of all connections: bytes buffered for peers, and fixed memory.
  package let holder = Balance()
  package let overhead = Balance()

  /// Creates a server that does not listen yet.
  /// - Throws: `SocketError` of `.prepare`.
  public init(router: RPCRouter, configuration: Configuration = Configuration()) throws(SocketError)
  {
    precondition(configuration.shardCount > 0)
    self.configuration = configuration
    budget = ConnectionBudget(
      maxConnections: configuration.maxConnections, maxPerPeer: configuration.maxConnectionsPerPeer,
      maxUnauthenticated: configuration.maxUnauthenticatedConnections,
      maxHandshakesPerPeer: configuration.maxHandshakesPerPeer)
    var shards: [Shard] = []
    var contexts: [ShardBound<ServerShard>] = []
    for index in 0..<configuration.shardCount {
      let shard = try Shard(label: "atrest.shard.\(index)")
      let context = ServerShard(
        shard: shard, routes: router.routes, configuration: configuration, counters: counters,
        holder: holder, overhead: overhead)
      shards.append(shard)
      contexts.append(ShardBound(sending: context, to: shard))
    }
    self.shards = shards
    self.contexts = contexts
  }

  /// Listens on an address and serves it. May be called several times, for example for TCP and a
  /// Unix socket.
  /// - Parameters:
  ///   - address: Port 0 requests a free port.
  ///   - tls: The server's identity, read anew for each handshake. Nil serves plaintext, which is
  ///     for loopback only.
  /// - Returns: The address, with the assigned port.
  /// - Throws: `SocketError` of `.listen`.
  /// - Precondition: `drain` has not been called.
  @discardableResult
  public func listen(
    on address: SocketAddress, tls: TLSContextBox? = nil
  ) throws(SocketError) -> SocketAddress {
    try listen(on: address, tls: tls) { $0 }
  }

  /// The same, with a wrapper that observes the bytes: for tests.
  package func listen(
    on address: SocketAddress, tls: TLSContextBox? = nil,
    observing: @escaping @Sendable (any ByteStreamHandler) -> any ByteStreamHandler
  ) throws(SocketError) -> SocketAddress {
    var options = SocketConnection.Options()
    options.writeStallTimeout = configuration.limits.writeStall
    let listener = try Listener(
      on: address, shards: shards, budget: budget, options: options
    ) { [contexts] shard, peer in
      guard let context = contexts.first(where: { $0.shard === shard })?.value else { return nil }
      let handler = ServerHandler(context: context, peer: peer, isEncrypted: tls != nil)
      guard let tls else { return observing(handler) }
      return observing(
        TLSHandler(
          handler, scratch: context.scratch,
          handshakeTimeout: context.configuration.limits.handshakeTimeout,
          overhead: context.overhead
        ) { () throws(TLSError) in try TLSSession(server: tls.current) })
    }
    state.withLock { state in
      precondition(!state.isDraining, "a drained server cannot listen")
      state.listeners.append(listener)
    }
    listener.start()
    return listener.address
  }

  /// A connection without a socket, on the first shard, for tests that drive it by hand.
  package func connection(from peer: SocketAddress) -> any ByteStreamHandler {
    let context = contexts[0].value
    return ServerHandler(context: context, peer: peer, isEncrypted: false)
  }

  /// A snapshot of the counters. Thread-safe; takes a few hundred nanoseconds.
  public var statistics: ServerStatistics {
    var statistics = counters.statistics
    (statistics.handshakingConnections, statistics.unauthenticatedConnections) = budget.unproven
    return statistics
  }

  /// Shuts down gracefully: stops listening, sends GOAWAY, waits for active calls, closes all
  /// connections, stops the shards. Calls still active after `grace` (or `limits.drainGrace`, if
  /// shorter) end with UNAVAILABLE. Returns at most three seconds after the grace. Idempotent; the
  /// server cannot be reused.
  public func drain(grace: Duration = .seconds(10)) async {
    let listeners = state.withLock { state -> [Listener]? in
      guard !state.isDraining else { return nil }
      state.isDraining = true
      return state.listeners
    }
    guard let listeners else { return await end.wait() }
    for listener in listeners { await listener.stop() }
    // Connections accepted before were posted before, so all of them are drained.
    for context in contexts {
      context.shard.async { context.value.drain(grace: grace) }
    }
    await budget.waitUntilEmpty()
    for shard in shards { await shard.stop() }
    end.signal()
  }
}
