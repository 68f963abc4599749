// SPDX-License-Identifier: Apache-2.0
// Sagas.

import AtrestReplication

/// A saga: sprouts of one twig that belong together.
public struct Leaf: Hashable, Identifiable, Sendable {
  /// Chosen when it is created.
  public let id: RecordUUID
  /// In the person's words.
  public var name: String
  /// The twig that it is on.
  public var twig: Twig
  /// When it was created.
  public var created: WallTime

  /// A leaf.
  public init(id: RecordUUID, name: String, twig: Twig, created: WallTime) {
    (self.id, self.name, self.twig, self.created) = (id, name, twig, created)
  }
}
