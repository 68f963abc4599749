// SPDX-License-Identifier: Apache-2.0
// What a device writes down of a fast that goes on, and what it makes of a damaged note.

import Foundation

/// The fast that goes on, as a device without records of its own notes it: the iOS app's state file
/// holds these three values.
///
/// The target must survive the end of the program with the start: without it, a change of the
/// setting would reach a fast that already goes on.
public struct SavedActiveFast: Hashable, Sendable {
  /// When it began.
  public let start: Date
  /// When something last happened to it; never before the start.
  public let lastEvent: Date
  /// How long it is meant to last, in minutes, within `Session.targetRange`.
  public let targetMinutes: Int

  /// Reads a note.
  ///
  /// - Parameters:
  ///   - lastEvent: Where absent, or before the start, the start.
  ///   - targetHours: Where absent, as in notes of older programs, or not a length of time that can
  ///     be meant, 16 hours.
  /// - Returns: nil if the start is not an instant that can be stored: a note that cannot be read
  ///   is an error to report, never "no fast goes on".
  public init?(start: Date, lastEvent: Date?, targetHours: Double?) {
    guard (0...140_737_488_355).contains(start.timeIntervalSince1970) else { return nil }
    self.start = start
    self.lastEvent = lastEvent.flatMap { $0 > start ? $0 : nil } ?? start
    targetMinutes = TargetPreference.minutes(hours: targetHours)
  }

  /// The note of a fast; nil if it has ended.
  public init?(_ session: Session, lastEvent: Date) {
    guard session.span.outcome == .active else { return nil }
    self.init(
      start: session.span.start, lastEvent: lastEvent,
      targetHours: Double(session.targetMinutes) / 60)
  }

  /// How long it is meant to last, in hours.
  public var targetHours: Double { Double(targetMinutes) / 60 }

  /// The fast, as a record.
  public func session(id: UUID) -> Session {
    guard let span = Session.Span(start: start, end: nil, outcome: .active) else {
      preconditionFailure("an active span without an end is always valid")
    }
    return Session(id: id, span: span, targetMinutes: targetMinutes)
  }
}
