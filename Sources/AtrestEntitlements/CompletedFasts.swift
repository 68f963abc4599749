// SPDX-License-Identifier: Apache-2.0
// The set of completed fasts, by which the trial is counted. Pure.

import AtrestReplication
import Foundation

/// The ids of every fast of an account whose outcome is completed, including deleted ones.
///
/// One rule: the outcome decides. Deleting a fast changes no outcome, so clearing the history does
/// not restart the trial. Who corrects an outcome corrects the count: a fast that was let go was
/// none of the ten, and leaves no tree.
///
/// A counter could not be merged: two devices that increment it, or an import that runs twice,
/// would count a fast twice.
public struct CompletedFasts: Hashable, Sendable {
  /// The fasts' record ids.
  public private(set) var ids: Set<RecordUUID>

  /// Creates a set from ids in any order, with repetition.
  public init(_ ids: some Sequence<RecordUUID> = []) {
    self.ids = Set(ids)
  }

  /// The number of fasts.
  public var count: Int { ids.count }

  /// Adds a fast. Idempotent.
  public mutating func insert(_ id: RecordUUID) {
    ids.insert(id)
  }

  /// The union with another set.
  public mutating func merge(_ other: CompletedFasts) {
    ids.formUnion(other.ids)
  }
}
