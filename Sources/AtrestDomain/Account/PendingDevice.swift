// SPDX-License-Identifier: Apache-2.0
// A device that waits for approval.

import AtrestReplication

/// A device that has used a valid code and waits for approval.
public struct PendingDevice: Hashable, Sendable {
  /// Identifies it in a decision. Never zero.
  public var handle: UInt64
  /// The name it claims.
  public var name: String
  /// When it used the code.
  public var since: WallTime
  /// Until when it can be approved.
  public var expires: WallTime
  /// The device that created its code.
  public var inviter: ReplicaID
  /// Six digits to compare with those that the device shows.
  public var digits: String

  /// Creates a pending device from its fields.
  public init(
    handle: UInt64, name: String, since: WallTime, expires: WallTime, inviter: ReplicaID,
    digits: String
  ) {
    self.handle = handle
    self.name = name
    self.since = since
    self.expires = expires
    self.inviter = inviter
    self.digits = digits
  }
}
