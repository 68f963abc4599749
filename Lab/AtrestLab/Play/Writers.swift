// SPDX-License-Identifier: Apache-2.0
// Tracks which device wrote under which replica id.

import AtrestReplication

/// Replica ids and the devices that used them. A copied device uses its original's id until the
/// server notices.
struct Writers {
  private var names: [ReplicaID: [String]] = [:]

  /// Records that a device writes under an id.
  mutating func note(_ identity: ReplicaID, _ device: String) {
    guard identity != .none, !names[identity, default: []].contains(device) else { return }
    names[identity, default: []].append(device)
  }

  /// The first device that used the id.
  func name(_ identity: ReplicaID) -> String { names[identity]?.first ?? "another device" }

  /// Whether a device used the id.
  func isPossible(_ device: String, _ identity: ReplicaID) -> Bool {
    names[identity]?.contains(device) ?? false
  }

  /// The only device that used the id; nil if several did.
  func only(_ identity: ReplicaID) -> String? {
    names[identity].flatMap { $0.count == 1 ? $0.first : nil }
  }
}
