// SPDX-License-Identifier: Apache-2.0
// What the connections of one shard share.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets

/// Codecs, routes, counters and the list of connections of one shard. Lives on it.
final class ServerShard {
  let shard: Shard
  let routes: [String: RPCRouter.Route]
  let configuration: GRPCServer.Configuration
  let counters: ServerCounters
  let codecs = Codecs()
  lazy var scratch = TLSScratch()
  /// Where what all connections of the shard hold for their peers is booked, and what they need by
  /// themselves.
  let holder: Holder
  let overhead: Holder
  private let bufferedLimit: Int
  private var handlers: [ObjectIdentifier: ServerHandler] = [:]
  private var isDraining = false

  init(
    shard: Shard, routes: [String: RPCRouter.Route], configuration: GRPCServer.Configuration,
    counters: ServerCounters, holder: Holder, overhead: Holder
  ) {
    self.shard = shard
    self.holder = Holder(under: holder)
    self.overhead = Holder(under: overhead)
    self.routes = routes
    self.configuration = configuration
    self.counters = counters
    bufferedLimit = configuration.maxBufferedBytesPerShard
  }

  /// A connection holds more than before. If that is too much for the shard, connections are ended:
  /// first of strangers, since a crowd that keeps ending and beginning calls seems to hold nothing
  /// for long, and a slow phone does; then of whoever has the most held for the longest, on however
  /// many connections, and of those the one that does. What is being read, or belongs to requests
  /// that end, is held for a moment only, so it is not theirs to suffer from.
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
      return (handler.isAuthenticated ? 0 : 1, ofPayer, handler.weight(at: now))
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

  /// Asks every client to leave; ends what is left after `grace`, and cuts what is left a second
  /// later (clients that do not even read).
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
