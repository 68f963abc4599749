// SPDX-License-Identifier: Apache-2.0
// The persisted active fast, and the recovery from a damaged file.

import AtrestReplication

/// The active fast as a device without records persists it: the three values of the iOS app's state
/// file.
///
/// The target is persisted with the start. Otherwise a change of the setting would affect a fast in
/// progress.
public struct SavedActiveFast: Hashable, Sendable {
  /// When it started.
  public let start: WallTime
  /// The last event of the fast; never before the start.
  public let lastEvent: WallTime
  /// The intended length in minutes, within `Session.targetRange`.
  public let targetMinutes: Int

  /// Reads persisted values.
  ///
  /// - Parameters:
  ///   - lastEvent: The start if absent or before the start.
  ///   - targetHours: 16 hours if absent, as in files of older versions, or out of range.
  /// - Returns: nil if the start cannot be stored. An unreadable file is an error to report, never
  ///   "no active fast".
  public init?(start: WallTime, lastEvent: WallTime?, targetHours: Double?) {
    guard WallTime.recordable.contains(start.milliseconds) else { return nil }
    self.start = start
    self.lastEvent = lastEvent.flatMap { $0 > start ? $0 : nil } ?? start
    targetMinutes = TargetPreference.minutes(hours: targetHours)
  }

  /// The values to persist for a fast; nil if it has ended.
  public init?(_ session: Session, lastEvent: WallTime) {
    guard session.span.outcome == .active else { return nil }
    self.init(
      start: session.span.start, lastEvent: lastEvent,
      targetHours: Double(session.targetMinutes) / 60)
  }

  /// The intended length in hours.
  public var targetHours: Double { Double(targetMinutes) / 60 }

  /// The fast as a session.
  public func session(id: RecordUUID) -> Session {
    guard let span = Session.Span(start: start, end: nil, outcome: .active) else {
      preconditionFailure("an active span without an end is always valid")
    }
    return Session(id: id, span: span, targetMinutes: targetMinutes)
  }
}
