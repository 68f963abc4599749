// SPDX-License-Identifier: Apache-2.0
// Derives the active fast, and validates starting, completing and abandoning. Pure.

import AtrestReplication

/// The open fasts across one person's devices.
///
/// "Active" is derived and never stored. Two devices that were offline may each have started a
/// fast, and no program can know which was intended. The one that started last is active; the
/// others stay open until the person ends or deletes them.
public struct Fasting: Hashable, Sendable {
  /// The active fast; nil if there is none.
  public let active: Session?
  /// The other open fasts, latest start first.
  public let otherOpen: [Session]

  /// Derives the state from sessions in any order. Ignores ended ones.
  ///
  /// - Complexity: O(n), plus sorting the open ones.
  public init(_ sessions: some Sequence<Session>) {
    // Starts may be equal; every device must still choose the same fast.
    let open = sessions.filter { $0.span.outcome == .active }.sorted { a, b in
      if a.span.start != b.span.start { return a.span.start > b.span.start }
      return a.id > b.id
    }
    active = open.first
    otherOpen = Array(open.dropFirst())
  }

  /// Starts a fast.
  ///
  /// - Parameters:
  ///   - id: Chosen by the caller; the same on every device.
  ///   - start: When it begins or began.
  ///   - targetMinutes: The intended length. Captured here; later changes of the usual target do
  ///     not affect it.
  /// - Throws: `FastingRefusal.alreadyActive`; `.targetOutOfRange` outside `Session.targetRange`.
  public func start(
    id: RecordUUID, at start: WallTime, targetMinutes: Int
  ) throws(FastingRefusal) -> Session {
    guard active == nil else { throw .alreadyActive }
    guard Session.targetRange.contains(targetMinutes) else { throw .targetOutOfRange }
    guard let span = Session.Span(start: start, end: nil, outcome: .active) else {
      preconditionFailure("an active span without an end is always valid")
    }
    return Session(id: id, span: span, targetMinutes: targetMinutes)
  }

  /// Completes the active fast.
  ///
  /// - Parameter end: When it ended. An end before the start is replaced by the start, so that a
  ///   clock set back cannot make a fast impossible to end.
  /// - Throws: `FastingRefusal.nothingActive`.
  public func complete(at end: WallTime) throws(FastingRefusal) -> Session {
    try finish(at: end, as: .completed)
  }

  /// Abandons the active fast. The record is kept but counts nowhere.
  ///
  /// - Parameter end: As for `complete`.
  /// - Throws: `FastingRefusal.nothingActive`.
  public func abandon(at end: WallTime) throws(FastingRefusal) -> Session {
    try finish(at: end, as: .abandoned)
  }

  private func finish(
    at end: WallTime, as outcome: Session.Outcome
  ) throws(FastingRefusal) -> Session {
    guard var session = active else { throw .nothingActive }
    let start = session.span.start
    guard let span = Session.Span(start: start, end: max(start, end), outcome: outcome) else {
      preconditionFailure("an end that is clamped to its start is always valid")
    }
    session.span = span
    return session
  }
}

/// Why a step is not possible. Nothing was changed.
public enum FastingRefusal: Error, Hashable, Sendable, CaseIterable {
  /// A fast is active, so another cannot start.
  case alreadyActive
  /// No fast is active, so none can end.
  case nothingActive
  /// The target is outside `Session.targetRange`.
  case targetOutOfRange

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .alreadyActive: Catalogue.text("refusal.alreadyActive")
    case .nothingActive: Catalogue.text("refusal.nothingActive")
    case .targetOutOfRange: Catalogue.text("refusal.targetOutOfRange")
    }
  }
}
