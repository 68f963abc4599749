// SPDX-License-Identifier: Apache-2.0
// What the connections of one shard share.

import DispatchNet
import Transport

/// Codecs, routes, counters and the list of connections of one shard. Lives on it.
final class ServerShard {
  let shard: Shard
  let routes: [String: RPCRouter.Route]
  let configuration: GRPCServer.Configuration
  let counters: ServerCounters
  let codecs = Codecs()
  lazy var scratch = TLSScratch()
  /// What all connections of the shard hold for their peers, and the most that they may.
  private(set) var heldBytes = 0
  private let heldLimit: Int
  private var handlers: [ObjectIdentifier: ServerHandler] = [:]
  private var isDraining = false

  init(
    shard: Shard, routes: [String: RPCRouter.Route], configuration: GRPCServer.Configuration,
    counters: ServerCounters
  ) {
    self.shard = shard
    self.routes = routes
    self.configuration = configuration
    self.counters = counters
    heldLimit = configuration.maxHeldBytesPerShard
  }

  /// A connection holds so much more than before. If that is too much for the shard, those that hold the
  /// most for the longest are ended. One that is being read, or whose requests end, holds nothing for
  /// long, so it is not theirs to suffer from. Strangers go before anybody who has proved who they are:
  /// a crowd that keeps ending and beginning calls seems to hold nothing for long, and a slow phone does.
  func held(by handler: ServerHandler, _ growth: Int) {
    heldBytes += growth
    guard growth > 0, heldBytes > heldLimit else { return }
    let now = shard.now
    // The group first; nobody of group 0 has anything to give.
    func rank(_ handler: ServerHandler) -> (Int, Double) {
      guard let since = handler.heldSince, !handler.isShed else { return (0, 0) }
      let weight = Double(handler.heldBytes) * (1e6 + Double(now.nanoseconds - since.nanoseconds))
      return (handler.isTrusted ? 1 : 2, weight)
    }
    var waiting = handlers.values.reduce(0) { $0 + ($1.isShed ? 0 : $1.heldBytes) }
    while waiting > heldLimit, let worst = handlers.values.max(by: { rank($0) < rank($1) }),
      rank(worst).0 > 0
    {
      waiting -= worst.heldBytes
      worst.shed()
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
