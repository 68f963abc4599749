// SPDX-License-Identifier: Apache-2.0
// Which fast is going on, and what starting, completing and abandoning make of it. Pure.

import Foundation

/// The fasts without an end, as one person's devices together know them.
///
/// "Active" is derived from the sessions and never stored: two devices that were apart may each
/// have started a fast, and no program can know which of them was meant. The one that started last
/// is the active one; the others stay open until the person ends or deletes them.
public struct Fasting: Hashable, Sendable {
  /// The fast that is going on; nil between fasts.
  public let active: Session?
  /// The other fasts without an end, latest start first.
  public let otherOpen: [Session]

  /// Derives the state from any sessions, in any order. Ended ones do not matter.
  ///
  /// - Complexity: O(n), plus sorting the open ones.
  public init(_ sessions: some Sequence<Session>) {
    // Equal starts are possible; every device must still choose the same one.
    let open = sessions.filter { $0.span.outcome == .active }.sorted { a, b in
      if a.span.start != b.span.start { return a.span.start > b.span.start }
      return a.id.uuidString > b.id.uuidString
    }
    active = open.first
    otherOpen = Array(open.dropFirst())
  }

  /// Starts a fast.
  ///
  /// - Parameters:
  ///   - id: Chosen by the caller; the fast keeps it on every device.
  ///   - start: When it begins, or began.
  ///   - targetMinutes: How long it is meant to last. It is captured here and stays what it is when
  ///     the person's usual target changes later.
  /// - Throws: `FastingRefusal.alreadyActive`; `.targetOutOfRange` outside `Session.targetRange`.
  public func start(id: UUID, at start: Date, targetMinutes: Int) throws(FastingRefusal) -> Session
  {
    guard active == nil else { throw .alreadyActive }
    guard Session.targetRange.contains(targetMinutes) else { throw .targetOutOfRange }
    guard let span = Session.Span(start: start, end: nil, outcome: .active) else {
      preconditionFailure("an active span without an end is always valid")
    }
    return Session(id: id, span: span, targetMinutes: targetMinutes)
  }

  /// Completes the active fast.
  ///
  /// - Parameter end: When it ended. Before the start it becomes the start: a clock that was set
  ///   back ends a fast at once instead of making it impossible to end.
  /// - Throws: `FastingRefusal.nothingActive`.
  public func complete(at end: Date) throws(FastingRefusal) -> Session {
    try finish(at: end, as: .completed)
  }

  /// Lets the active fast go. It is kept as a record and counted nowhere.
  ///
  /// - Parameter end: As for `complete`.
  /// - Throws: `FastingRefusal.nothingActive`.
  public func abandon(at end: Date) throws(FastingRefusal) -> Session {
    try finish(at: end, as: .abandoned)
  }

  private func finish(
    at end: Date, as outcome: Session.Outcome
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

/// Why the state of things does not allow a step. Nothing was changed.
public enum FastingRefusal: Error, Hashable, Sendable, CaseIterable {
  /// A fast is going on, so another cannot start.
  case alreadyActive
  /// No fast is going on, so none can end.
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
