// SPDX-License-Identifier: Apache-2.0
// Which device wrote under which identity.

import AtrestReplication

/// Identities and the devices that have used them. A copied device uses its original's until the
/// server notices.
struct Writers {
  private var names: [ReplicaID: [String]] = [:]

  /// Notes that a device writes under an identity.
  mutating func note(_ identity: ReplicaID, _ device: String) {
    guard identity != .none, !names[identity, default: []].contains(device) else { return }
    names[identity, default: []].append(device)
  }

  /// The device that had the identity first.
  func name(_ identity: ReplicaID) -> String { names[identity]?.first ?? "another device" }

  /// Whether a device may have written under an identity.
  func isPossible(_ device: String, _ identity: ReplicaID) -> Bool {
    names[identity]?.contains(device) ?? false
  }

  /// The only device that has used it; nil if there were several.
  func only(_ identity: ReplicaID) -> String? {
    names[identity].flatMap { $0.count == 1 ? $0.first : nil }
  }
}
