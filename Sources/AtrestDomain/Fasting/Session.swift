// SPDX-License-Identifier: Apache-2.0
// A fast: its span, its outcome and its target.

import AtrestReplication

/// A fast from its start on. The id exists before the end, so two devices that both end it end the
/// same one.
public struct Session: Hashable, Identifiable, Sendable {
  /// How a fast ended, if it did.
  public enum Outcome: Int, Hashable, Sendable, CaseIterable {
    /// In progress.
    case active = 0
    /// Ended, and kept in the history.
    case completed = 1
    /// Ended, and not counted.
    case abandoned = 2
  }

  /// Start, end and outcome. They constrain each other, so they are edited and merged as one.
  public struct Span: Hashable, Sendable {
    /// When the fast began.
    public let start: WallTime
    /// When it ended; nil exactly while active. Not before the start.
    public let end: WallTime?
    /// How it ended.
    public let outcome: Outcome

    /// Creates a span; nil if an end is missing, superfluous or before the start.
    public init?(start: WallTime, end: WallTime?, outcome: Outcome) {
      guard (end == nil) == (outcome == .active) else { return nil }
      if let end, end < start { return nil }
      self.start = start
      self.end = end
      self.outcome = outcome
    }
  }

  /// Chosen when the fast starts.
  public let id: RecordUUID
  /// When it ran and how it ended.
  public var span: Span
  /// The intended length in minutes; fixed at the start.
  public var targetMinutes: Int

  /// The valid targets in minutes: a minute to 14 days.
  public static let targetRange = 1...(14 * 24 * 60)

  /// Creates a fast. The target is not checked.
  public init(id: RecordUUID, span: Span, targetMinutes: Int) {
    self.id = id
    self.span = span
    self.targetMinutes = targetMinutes
  }
}
