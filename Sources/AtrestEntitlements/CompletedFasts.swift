// SPDX-License-Identifier: Apache-2.0
// Which fasts an account ever completed: what the trial is counted by. A set that only grows. Pure.

import Foundation

/// The ids of every fast an account ever completed, those deleted since included.
///
/// A count could not be merged: two devices that add to it, or an import that runs twice, would
/// count a fast twice. Deleting the history takes nothing out, so it does not start the trial anew.
public struct CompletedFasts: Hashable, Sendable {
  /// The ids.
  public private(set) var ids: Set<UUID>

  /// From ids, in any order, however often each.
  public init(_ ids: some Sequence<UUID> = []) {
    self.ids = Set(ids)
  }

  /// How many fasts.
  public var count: Int { ids.count }

  /// Adds a fast; nothing if it is in already.
  public mutating func insert(_ id: UUID) {
    ids.insert(id)
  }

  /// Adds what somebody else knows.
  public mutating func merge(_ other: CompletedFasts) {
    ids.formUnion(other.ids)
  }
}
