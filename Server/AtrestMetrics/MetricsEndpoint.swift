// SPDX-License-Identifier: Apache-2.0
// Serves metrics and probes over HTTP/1.1.

import AtrestSockets

/// Listens for scrapers and probes. Unencrypted: for a loopback address, or a network of one's own.
package final class MetricsEndpoint: Sendable {
  /// Connections at a time, and of one peer.
  private static let maxConnections = 64

  private let shard: Shard
  private let listener: Listener
  private let budget: ConnectionBudget

  /// The address, with the assigned port.
  package var address: SocketAddress { listener.address }

  /// Listens.
  /// - Parameters:
  ///   - address: Port 0 requests a free port.
  ///   - answer: Answers a path; nil: there is nothing. Runs on the endpoint's own thread.
  /// - Throws: `SocketError` of `.prepare` or `.listen`.
  package init(
    on address: SocketAddress, answer: @escaping @Sendable (_ path: String) -> ProbeAnswer?
  ) throws(SocketError) {
    let shard = try Shard(label: "atrest.metrics")
    let budget = ConnectionBudget(
      maxConnections: Self.maxConnections, maxPerPeer: Self.maxConnections)
    self.shard = shard
    self.budget = budget
    listener = try Listener(on: address, shards: [shard], budget: budget) { _, _ in
      ProbeHandler(answer)
    }
    listener.start()
  }

  /// Stops listening and returns when every connection is closed: within five seconds.
  package func stop() async {
    await listener.stop()
    await budget.waitUntilEmpty()
    await shard.stop()
  }
}
