// SPDX-License-Identifier: Apache-2.0
// What people do that they can take back, and what taking back did.

import AtrestReplication

/// A user action. The raw values are stored.
public enum UserAction: Int, Hashable, Sendable, CaseIterable {
  /// Started a fast.
  case begin = 1
  /// Completed a fast.
  case end = 2
  /// Abandoned a fast.
  case abandon = 3
  /// Recorded a drink.
  case water = 4
  /// Edited a fast.
  case editFast = 5
  /// Edited a drink.
  case editWater = 6
  /// Deleted a fast.
  case deleteFast = 7
  /// Deleted a drink.
  case deleteWater = 8
  /// Changed a setting.
  case setting = 9
  /// Restored the losing value of a conflict.
  case restore = 10
  /// Imported a file.
  case `import` = 11
  /// Wrote records of an app's own kinds.
  case edit = 12
  /// Added a fast that was over.
  case addFast = 13

  /// The most actions kept.
  public static let limit = 50
  /// How long an action is kept: 30 days, in milliseconds. By then the payload of deleted records
  /// is pruned elsewhere.
  public static let retentionMilliseconds: Int64 = 30 * 86_400_000
  /// The most records of one action. A larger action takes effect but cannot be undone.
  public static let recordLimit = 100
}

/// The result of an undo.
public struct UndoneAction: Hashable, Sendable {
  /// A record that the action wrote.
  public struct Change: Hashable, Sendable {
    /// The record before the action; nil if the action created it.
    public let before: Record?
    /// The record right after the action.
    public let after: Record
    /// The fields restored to their earlier values.
    public let restored: [FieldNumber]
    /// The fields left alone because they were written again since, here or on another device, or
    /// because another fast is running.
    public let kept: [FieldNumber]
    /// Whether a fast was not reopened because another one is running.
    public let anotherGoesOn: Bool
  }

  /// The undone action.
  public let action: UserAction
  /// The time of the action, by this device's clock.
  public let at: WallTime
  /// The effect on each of its records.
  public let changes: [Change]

  /// Whether anything was restored. If not, nothing was changed.
  public var isUndone: Bool { changes.contains { !$0.restored.isEmpty } }
  /// Whether nothing was changed because another fast is running. The action then stays in the
  /// journal, so that a second undo does not take an earlier one. Any other action is removed, or
  /// it would block earlier ones for ever.
  public var isWaiting: Bool { !isUndone && changes.contains { $0.anotherGoesOn } }
}
