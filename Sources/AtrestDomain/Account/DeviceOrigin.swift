// SPDX-License-Identifier: Apache-2.0
// How a device joined its account, and through which other devices.

import AtrestReplication

/// How a device joined its account. Stored permanently: it shows who else may have joined through a
/// stolen device.
public enum DeviceOrigin: Hashable, Sendable {
  /// With a pairing code of the server's owner, or unknown: devices that joined before servers
  /// recorded origins.
  case owner
  /// With a code of `inviter`. `approver` approved it; nil if no approval was needed.
  case invited(inviter: ReplicaID, approver: ReplicaID?)
  /// As a new identity of a device that was copied or restored from a copy.
  case renewed(from: ReplicaID)

  /// Creates an origin from its stored or received parts. An approver without a parent counts as
  /// the parent: it did admit the device.
  public init(parent: ReplicaID?, approver: ReplicaID?, isRenewed: Bool) {
    guard let first = parent ?? approver else {
      self = .owner
      return
    }
    self = isRenewed ? .renewed(from: first) : .invited(inviter: first, approver: approver)
  }

  /// The device it descends from; nil for none.
  public var parent: ReplicaID? {
    switch self {
    case .owner: nil
    case .invited(let inviter, _): inviter
    case .renewed(let original): original
    }
  }

  /// The device that approved it, possibly the parent; nil if no approval was needed.
  public var approver: ReplicaID? {
    if case .invited(_, let approver) = self { approver } else { nil }
  }

  /// Whether it is a new identity of its parent.
  public var isRenewed: Bool {
    if case .renewed = self { true } else { false }
  }
}
