// SPDX-License-Identifier: Apache-2.0
// Fits the bounds of connections to the files that the process may have open.

extension ServerLimits {
  /// Descriptors that are not for devices' connections: the store's files or sessions, the 64
  /// connections each of the owner's socket and of the metrics, certificates, the shards, backups.
  private static let reservedDescriptors = 224
  /// Fewer connections than this are no server.
  private static let fewestConnections = 16

  /// The same limits, with no more connections than so many descriptors leave room for.
  ///
  /// Without room in the process the system refuses connections and the store's files alike, so
  /// that whoever opens enough connections shuts out all devices and the owner. Of fewer
  /// connections, half may have no right token, and half may come from one address.
  ///
  /// - Parameter descriptors: How many the process may have open.
  package func fitted(toDescriptors descriptors: Int) -> ServerLimits {
    let room = max(Self.fewestConnections, descriptors - Self.reservedDescriptors)
    guard connections > room else { return self }
    var limits = self
    limits.connections = room
    limits.connectionsPerAddress = min(connectionsPerAddress, room / 2)
    limits.maxUnauthenticatedConnections = min(maxUnauthenticatedConnections, room / 2)
    return limits
  }
}
