// SPDX-License-Identifier: Apache-2.0
// The state shared by the connections of one shard.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets

/// Codecs, routes, counters and connections of one shard. Confined to it.
final class ServerShard {
  let shard: Shard
  let routes: [String: RPCRouter.Route]
  let configuration: GRPCServer.Configuration
  let counters: ServerCounters
  let codecs = Codecs()
  lazy var scratch = TLSScratch()
  /// The balances of the shard's connections: bytes buffered for peers, and fixed memory.
  let holder: Balance
  let overhead: Balance
  private let bufferedLimit: Int
  private var handlers: [ObjectIdentifier: ServerHandler] = [:]
  private var isDraining = false

  init(
    shard: Shard, routes: [String: RPCRouter.Route], configuration: GRPCServer.Configuration,
    counters: ServerCounters, holder: Balance, overhead: Balance
  ) {
    self.shard = shard
    self.holder = Balance(under: holder)
    self.overhead = Balance(under: overhead)
    self.routes = routes
    self.configuration = configuration
    self.counters = counters
    bufferedLimit = configuration.maxBufferedBytesPerShard
  }

  /// Below it closing an unauthenticated connection first frees nothing worth it: a browser that
  /// loads the app, or a probe.
  private static let leastStrangerBytes = 8 * 1024

  /// Enforces the shard's memory limit after a connection's charge grew. Closes unauthenticated
  /// connections first: a crowd that keeps starting and ending calls seems to hold nothing for
  /// long, unlike a slow phone. Then closes connections of the payer that holds the most for the
  /// longest, over all its connections, and of those the heaviest first. Bytes that are being read,
  /// or belong to requests that end, are held too briefly to weigh.
  func grew() {
    guard holder.chargedBytes > bufferedLimit else { return }
    let now = shard.now
    let candidates = handlers.values.filter { $0.chargedSince != nil && !$0.isClosingForMemory }
    var waiting = handlers.values.reduce(0) { $0 + ($1.isClosingForMemory ? 0 : $1.chargedBytes) }
    var weights: [ObjectIdentifier: Double] = [:]
    for handler in candidates {
      weights[ObjectIdentifier(handler.payer), default: 0] += handler.weight(at: now)
    }
    func rank(_ handler: ServerHandler) -> (Int, Double, Double) {
      let ofPayer = weights[ObjectIdentifier(handler.payer)] ?? 0
      let isStranger = !handler.isAuthenticated && handler.chargedBytes >= Self.leastStrangerBytes
      return (isStranger ? 1 : 0, ofPayer, handler.weight(at: now))
    }
    for worst in candidates.sorted(by: { rank($0) > rank($1) }) {
      guard waiting > bufferedLimit else { return }
      waiting -= worst.chargedBytes
      worst.closeForMemoryPressure()
    }
  }

  func add(_ handler: ServerHandler) {
    handlers[ObjectIdentifier(handler)] = handler
    counters.opened()
    if isDraining { handler.beginDrain() }
  }

  func remove(_ handler: ServerHandler) {
    guard handlers.removeValue(forKey: ObjectIdentifier(handler)) != nil else { return }
    counters.closed()
  }

  /// Drains every connection, ends the remaining calls after `grace`, and closes the remaining
  /// connections a second later, for clients that do not read.
  func drain(grace: Duration) {
    isDraining = true
    let end = shard.now.advanced(by: grace)
    for handler in Array(handlers.values) { handler.beginDrain() }
    shard.schedule(at: end) { [self] in
      for handler in Array(handlers.values) { handler.endCalls() }
    }
    shard.schedule(at: end.advanced(by: .seconds(1))) { [self] in
      for handler in Array(handlers.values) { handler.close() }
    }
  }
}
