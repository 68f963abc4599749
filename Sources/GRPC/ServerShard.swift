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
