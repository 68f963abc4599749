// SPDX-License-Identifier: Apache-2.0
// What the timer shows between two moments: idle, active, completed, or let go. Pure.

import Foundation

/// The timer of one device: what it shows, and what begin, end and let go make of it.
///
/// `Fasting` says what goes on by the records. The timer remembers besides that a fast has just
/// ended, which no record says: the screen stays with it until the person goes on.
public struct FastingMachine: Hashable, Sendable {
  /// What the timer shows.
  public enum Status: Hashable, Sendable {
    /// Between fasts.
    case idle
    /// A fast goes on.
    case active(Session)
    /// A fast was completed here, and nothing was begun since.
    case completed(Session)
    /// A fast was let go here, and nothing was begun since.
    case abandoned(Session)

    /// Whether a fast goes on.
    public var isActive: Bool {
      if case .active = self { true } else { false }
    }
  }

  /// What the timer shows.
  public private(set) var status: Status

  /// A timer after its device was started: a fast that goes on goes on, its target with it.
  public init(restoring sessions: some Sequence<Session> = []) {
    status = Fasting(sessions).active.map(Status.active) ?? .idle
  }

  /// Begins a fast. While one goes on nothing changes.
  ///
  /// - Parameter targetMinutes: Captured now: a later change of the setting does not reach this
  ///   fast. A target that nothing can mean becomes 16 hours; nobody is kept from beginning.
  @discardableResult
  public mutating func start(id: UUID, at start: Date, targetMinutes: Int) -> Status {
    guard !status.isActive else { return status }
    let target =
      Session.targetRange.contains(targetMinutes) ? targetMinutes : Session.defaultTargetMinutes
    if let session = try? Fasting([]).start(id: id, at: start, targetMinutes: target) {
      status = .active(session)
    }
    return status
  }

  /// Completes the fast that goes on; an end before the start becomes the start. Without one
  /// nothing changes.
  @discardableResult
  public mutating func complete(at end: Date) -> Status {
    guard case .active(let session) = status,
      let ended = try? Fasting([session]).complete(at: end)
    else { return status }
    status = .completed(ended)
    return status
  }

  /// Lets the fast go. Without one nothing changes.
  @discardableResult
  public mutating func abandon(at end: Date) -> Status {
    guard case .active(let session) = status,
      let ended = try? Fasting([session]).abandon(at: end)
    else { return status }
    status = .abandoned(ended)
    return status
  }

  /// Follows what other devices did. A fast that ended elsewhere has ended here; one that began
  /// elsewhere goes on here; a deleted one is gone.
  public mutating func follow(_ sessions: some Sequence<Session>) {
    let sessions = Array(sessions)
    if let active = Fasting(sessions).active {
      status = .active(active)
      return
    }
    let shown: Session
    switch status {
    case .idle: return
    case .active(let session), .completed(let session), .abandoned(let session): shown = session
    }
    guard let known = sessions.first(where: { $0.id == shown.id }) else {
      status = .idle
      return
    }
    switch known.span.outcome {
    case .active: status = .active(known)
    case .completed: status = .completed(known)
    case .abandoned: status = .abandoned(known)
    }
  }
}
