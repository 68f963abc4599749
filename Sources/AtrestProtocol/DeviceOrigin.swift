// SPDX-License-Identifier: Apache-2.0
// How a device joined its account, and through which other devices.

import AtrestReplication

/// How a device joined its account. Kept permanently: it shows which devices may have joined
/// through a stolen one.
public enum DeviceOrigin: Hashable, Sendable {
  /// With a code from the server's operator. Also the value for devices that joined before servers
  /// recorded the origin.
  case owner
  /// With a code that `inviter` created. `approver` approved it. Nil: it needed no approval.
  case invited(inviter: ReplicaID, approver: ReplicaID?)
  /// As an additional identity of a device that is a copy or was restored from one.
  case renewed(from: ReplicaID)

  /// Creates an origin from stored or received fields. An approver without a parent counts as the
  /// parent, because it admitted the device.
  public init(parent: ReplicaID?, approver: ReplicaID?, isRenewed: Bool) {
    guard let first = parent ?? approver else {
      self = .owner
      return
    }
    self = isRenewed ? .renewed(from: first) : .invited(inviter: first, approver: approver)
  }

  /// The device from which it descends, or nil.
  public var parent: ReplicaID? {
    switch self {
    case .owner: nil
    case .invited(let inviter, _): inviter
    case .renewed(let original): original
    }
  }

  /// The device that approved it, possibly the parent. Nil: it needed no approval.
  public var approver: ReplicaID? {
    if case .invited(_, let approver) = self { approver } else { nil }
  }

  /// Whether it is an additional identity of its parent.
  public var isRenewed: Bool {
    if case .renewed = self { true } else { false }
  }
}

extension DeviceOrigin {
  /// Decodes wire fields, in which zero means no device.
  init(parent: UInt64, renewed: Int32, approver: UInt64) {
    self.init(
      parent: ReplicaID(nonZero: parent), approver: ReplicaID(nonZero: approver),
      isRenewed: renewed != 0)
  }
}

extension ReplicaID {
  init?(nonZero number: UInt64) {
    guard number != 0 else { return nil }
    self.init(rawValue: number)
  }
}
