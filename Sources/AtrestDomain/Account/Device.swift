// SPDX-License-Identifier: Apache-2.0
// A device of an account.

import AtrestReplication

/// A device of an account.
public struct Device: Hashable, Sendable {
  /// Its replica ID.
  public var replica: ReplicaID
  /// Its name.
  public var name: String
  /// When it joined.
  public var paired: WallTime
  /// When it last made a call, to the minute; nil if never.
  public var seen: WallTime?
  /// When its access was revoked; nil if it was not.
  public var revoked: WallTime?
  /// Whether it is the caller's device.
  public var isCurrent: Bool
  /// How it joined the account.
  public var origin: DeviceOrigin

  /// Creates a device from its fields.
  public init(
    replica: ReplicaID, name: String, paired: WallTime, seen: WallTime? = nil,
    revoked: WallTime? = nil, isCurrent: Bool = false, origin: DeviceOrigin = .owner
  ) {
    self.replica = replica
    self.name = name
    self.paired = paired
    self.seen = seen
    self.revoked = revoked
    self.isCurrent = isCurrent
    self.origin = origin
  }
}
