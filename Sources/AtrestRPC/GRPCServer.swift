// SPDX-License-Identifier: Apache-2.0
// Listens, serves a router's methods, and leaves without losing a call.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import AtrestTLS
import Synchronization

/// A gRPC server: listeners, shards and a router. End it with `drain`.
public final class GRPCServer: Sendable {
  /// What a server's owner may choose.
  public struct Configuration: Sendable {
    /// Bounds on every connection.
    public var limits = Limits.default
    /// How many shards: each uses up to one core.
    public var shardCount = 2
    /// Connections in all.
    public var maxConnections = 10_000
    /// Connections of one IPv4 address or IPv6 /64.
    public var maxConnectionsPerPeer = 1_000
    /// Connections on which nobody has proved who it is (see `Authorization`). When there are so
    /// many, the oldest of them is cut for a new one.
    public var maxUnauthenticatedConnections = 2_000
    /// Connections of one peer that have not yet said anything sensible, not even a greeting.
    public var maxHandshakesPerPeer = 200
    /// Calls under way that were granted on one `CallerGrant`, on all connections together.
    public var maxCallsPerGrant = 100
    /// Bytes that peers may make all connections hold, by requests not finished and answers not
    /// read; at least 10 MiB for each shard. Beyond it the connections that hold the most for the
    /// longest end, those on which nobody has proved who it is before all others.
    public var maxBufferedBytes = 24 * 1024 * 1024
    /// What a stream's writer may hold beyond `limits.streamQueueBytes`, in bytes, before the
    /// reader counts as too slow.
    public var streamWriterBytes = 256 * 1024
    /// The same, in messages.
    public var streamWriterMessages = 4_096
    /// Hears of errors that handlers threw and callers saw as UNKNOWN: the path and the error. On
    /// the shard. The error may hold anything: log its type only.
    public var onHandlerError: (@Sendable (_ path: String, any Error) -> Void)?

    /// The defaults.
    public init() {}

    /// What a shard's share of `maxBufferedBytes` is never below, in bytes: more than one
    /// connection holds by default.
    private static let leastBufferedBytesPerShard = 10 * 1024 * 1024

    /// What the connections of one shard may hold together, in bytes.
    package var maxBufferedBytesPerShard: Int {
      max(Self.leastBufferedBytesPerShard, maxBufferedBytes / max(1, shardCount))
    }
  }

  private struct State {
    var listeners: [Listener] = []
    var isDraining = false
  }

  /// The server's shards, for actors and deadlines of its services.
  public let shards: [Shard]
  private let contexts: [ShardBound<ServerShard>]
  private let configuration: Configuration
  private let budget: ConnectionBudget
  private let counters = ServerCounters()
  private let state = Mutex(State())
  private let end = OneShotEvent()
  /// Where what all connections hold for their peers is booked, and what they need by themselves.
  package let holder = Holder()
  package let overhead = Holder()

  /// A server that does not listen yet.
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

  /// Opens an address and serves it. May be called several times (TCP and a Unix socket, say).
  /// - Parameters:
  ///   - address: Port 0 asks the system for a free one.
  ///   - tls: Who the server is; each handshake uses what the box holds then. Nil serves plaintext,
  ///     which is for loopback only.
  /// - Returns: The address, with the port the system chose.
  /// - Throws: `SocketError` of `.listen`.
  /// - Precondition: `drain` has not been called.
  @discardableResult
  public func listen(
    on address: SocketAddress, tls: TLSContextBox? = nil
  ) throws(SocketError) -> SocketAddress {
    try listen(on: address, tls: tls) { $0 }
  }

  /// The same, with a look at the bytes as they go by: for tests.
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
          handshakeTimeout: context.configuration.limits.handshakeTimeout
        ) { () throws(TLSError) in try TLSSession(server: tls.current) })
    }
    state.withLock { state in
      precondition(!state.isDraining, "a drained server cannot listen")
      state.listeners.append(listener)
    }
    listener.start()
    return listener.address
  }

  /// A connection without a socket, for tests that drive it by hand, on the first shard.
  package func connection(from peer: SocketAddress) -> any ByteStreamHandler {
    let context = contexts[0].value
    return ServerHandler(context: context, peer: peer, isEncrypted: false)
  }

  /// What has happened so far. Thread-safe; a few hundred nanoseconds.
  public var statistics: ServerStatistics { counters.statistics }

  /// Leaves: stops listening, asks every client to call elsewhere, waits for calls under way,
  /// closes everything, stops the shards. What is not over after `grace` (or `limits.drainGrace`,
  /// if that is shorter) is ended UNAVAILABLE. Returns when nothing is left, at most three seconds
  /// after the grace. Idempotent; the server cannot be used again.
  public func drain(grace: Duration = .seconds(10)) async {
    let listeners = state.withLock { state -> [Listener]? in
      guard !state.isDraining else { return nil }
      state.isDraining = true
      return state.listeners
    }
    guard let listeners else { return await end.wait() }
    for listener in listeners { await listener.stop() }
    // What was accepted before was posted before, so every connection hears this.
    for context in contexts {
      context.shard.async { context.value.drain(grace: grace) }
    }
    await budget.waitUntilEmpty()
    for shard in shards { await shard.stop() }
    end.signal()
  }
}
