// SPDX-License-Identifier: Apache-2.0
// The descent of an account's devices. Pure.

import AtrestReplication

/// The descent graph of an account's devices.
///
/// A device descends from the one that created its code or renewed into it, and from the one that
/// approved it: either may have been the thief's. Revoked devices are included, because their
/// descendants may still have access.
public struct Lineage: Sendable {
  private var children: [ReplicaID: [ReplicaID]] = [:]

  /// - Parameter devices: All devices of one account, including revoked ones. O(devices).
  public init(_ devices: some Sequence<(ReplicaID, DeviceOrigin)>) {
    for (device, origin) in devices {
      guard let parent = origin.parent else { continue }
      children[parent, default: []].append(device)
      if let approver = origin.approver, approver != parent {
        children[approver, default: []].append(device)
      }
    }
  }

  /// The direct and indirect descendants of a device. Never contains the device itself, even if
  /// corrupt rows form a cycle.
  ///
  /// - Parameter spared: Excluded, with devices that descend only through it, unless it is
  ///   `device`.
  /// - Complexity: O(descendants).
  public func descendants(
    of device: ReplicaID, sparing spared: ReplicaID? = nil
  ) -> Set<ReplicaID> {
    var found: Set<ReplicaID> = []
    var next = [device]
    while let parent = next.popLast() {
      for child in children[parent] ?? [] where child != device && child != spared {
        if found.insert(child).inserted { next.append(child) }
      }
    }
    return found
  }
}
