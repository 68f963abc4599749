// SPDX-License-Identifier: Apache-2.0
// What revoking a device did.

import AtrestReplication

/// The revoked devices, and the descendants that still have access. The lists are disjoint.
public struct Revocation: Hashable, Sendable {
  /// Devices revoked by this call, without those revoked before. Empty from servers that do not
  /// report it.
  public var revoked: [ReplicaID]
  /// Descendants that still have access because `withDescendants` was false.
  public var remaining: [ReplicaID]
  /// Descendants that `withDescendants` spares: the caller, and those that descend only through it.
  public var spared: [ReplicaID]

  /// Creates a revocation from its fields.
  public init(
    revoked: [ReplicaID] = [], remaining: [ReplicaID] = [], spared: [ReplicaID] = []
  ) {
    self.revoked = revoked
    self.remaining = remaining
    self.spared = spared
  }
}
