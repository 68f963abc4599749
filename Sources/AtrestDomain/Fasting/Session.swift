// SPDX-License-Identifier: Apache-2.0
// A fast: when it ran, how it ended, and how long it was meant to last.

import Foundation

/// A fast, from its start on. Its id exists before it ends, so two devices that both end it end the
/// same one.
public struct Session: Hashable, Identifiable, Sendable {
  /// How a fast ended, if it did.
  public enum Outcome: Int, Hashable, Sendable, CaseIterable {
    /// Still going on.
    case active = 0
    /// Ended, and kept in the history.
    case completed = 1
    /// Ended, and not counted.
    case abandoned = 2
  }

  /// Start, end and outcome: they bind each other, so they are edited and merged as one.
  public struct Span: Hashable, Sendable {
    /// When the fast began.
    public let start: Date
    /// When it ended; nil exactly while it is active. Not before the start.
    public let end: Date?
    /// How it ended.
    public let outcome: Outcome

    /// A span, or nil if an end is missing, superfluous, or before the start.
    public init?(start: Date, end: Date?, outcome: Outcome) {
      guard (end == nil) == (outcome == .active) else { return nil }
      if let end, end < start { return nil }
      self.start = start
      self.end = end
      self.outcome = outcome
    }
  }

  /// Chosen when the fast starts.
  public let id: UUID
  /// When it ran and how it ended.
  public var span: Span
  /// How long it is meant to last, in minutes; fixed when it starts.
  public var targetMinutes: Int

  /// The targets that make sense: a minute to 14 days, in minutes.
  public static let targetRange = 1...(14 * 24 * 60)

  /// A fast.
  public init(id: UUID, span: Span, targetMinutes: Int) {
    self.id = id
    self.span = span
    self.targetMinutes = targetMinutes
  }
}
