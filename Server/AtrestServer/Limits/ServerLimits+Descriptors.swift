// SPDX-License-Identifier: Apache-2.0
// Fits the bounds of connections to the files that the process may have open.

extension ServerLimits {
  /// Descriptors that are not for devices' connections: 64 connections of the owner's socket and 64
  /// of the metrics; the store's files, or eight sessions with each database; shards, certificates.
  private static let reservedDescriptors = 224
  /// Fewer connections than this are no server.
  private static let fewestConnections = 16

  /// The same limits, with no more connections than so many descriptors leave room for.
  ///
  /// A process without free descriptors can accept no device and no command of the owner's, and the
  /// store can open no file. Of fewer connections, half may be unauthenticated, and half may come
  /// from one address.
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
