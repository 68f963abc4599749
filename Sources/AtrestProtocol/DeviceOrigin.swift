// SPDX-License-Identifier: Apache-2.0
// How a device came to its account, and through which other devices.

import AtrestReplication

/// How a device came to its account. Kept for good: it tells who else may have got in through a
/// device that was stolen.
public enum DeviceOrigin: Hashable, Sendable {
  /// With a code of the server's owner; or nobody knows, as of devices that joined before servers
  /// kept this.
  case owner
  /// With a code that `inviter` made. `approver` let it in; nil: nobody had to.
  case invited(inviter: ReplicaID, approver: ReplicaID?)
  /// As a new identity of a device that was a copy, or was put back from one.
  case renewed(from: ReplicaID)

  /// What was stored or sent, one by one. An approver without a parent counts as one: it did let
  /// the device in.
  public init(parent: ReplicaID?, approver: ReplicaID?, isRenewed: Bool) {
    guard let first = parent ?? approver else {
      self = .owner
      return
    }
    self = isRenewed ? .renewed(from: first) : .invited(inviter: first, approver: approver)
  }

  /// The device that it descends from; nil for none.
  public var parent: ReplicaID? {
    switch self {
    case .owner: nil
    case .invited(let inviter, _): inviter
    case .renewed(let original): original
    }
  }

  /// The device that let it in, which may be the parent; nil: none had to.
  public var approver: ReplicaID? {
    if case .invited(_, let approver) = self { approver } else { nil }
  }

  /// Whether it is a new identity of its parent's.
  public var isRenewed: Bool {
    if case .renewed = self { true } else { false }
  }
}

extension DeviceOrigin {
  /// As on the wire, where zero stands for no device.
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
