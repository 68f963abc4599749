// SPDX-License-Identifier: Apache-2.0
// What a person calls a part of the tree.

import AtrestReplication

/// What a person calls a part of the tree.
public struct NodeLabel: Hashable, Identifiable, Sendable {
  /// The part.
  public let id: NodeID
  /// Its name; nil for none.
  public var label: String?
  /// A note about it; nil for none.
  public var note: String?

  /// A label, a note, or both.
  public init(id: NodeID, label: String? = nil, note: String? = nil) {
    (self.id, self.label, self.note) = (id, label, note)
  }
}
