// SPDX-License-Identifier: Apache-2.0
// Which devices of an account descend from which. Pure.

import AtrestReplication

/// The descent of an account's devices.
///
/// A device descends from the one that made its code or took it as a new identity, and from the one
/// that let it in: either could have been the thief's. Devices whose access has ended belong to it
/// all the same: their descendants may have theirs.
public struct Lineage: Sendable {
  private var children: [ReplicaID: [ReplicaID]] = [:]

  /// - Parameter devices: Those of one account, ended ones included. O(devices).
  public init(_ devices: some Sequence<(ReplicaID, DeviceOrigin)>) {
    for (device, origin) in devices {
      guard let parent = origin.parent else { continue }
      children[parent, default: []].append(device)
      if let approver = origin.approver, approver != parent {
        children[approver, default: []].append(device)
      }
    }
  }

  /// The devices that descend from one, directly or not; never that one itself, even if damaged
  /// rows make a circle.
  ///
  /// - Parameter spared: Left out, with those that descend through it only, unless it is the device
  ///   that is asked about.
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
