// SPDX-License-Identifier: Apache-2.0
// The descent of an account's devices from each other. Pure.

import AtrestReplication

/// The descent graph of an account's devices.
///
/// A device descends from the one that created its code or took it as an additional identity, and
/// from the one that approved it. A thief could have used either. Revoked devices are part of the
/// graph, because their descendants may still have access.
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

  /// All direct and indirect descendants of a device. Never contains the device itself, even if
  /// corrupt rows form a cycle.
  ///
  /// - Parameter spared: This device is left out, together with descendants that are reachable only
  ///   through it. Ignored if it equals `device`.
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
