// SPDX-License-Identifier: Apache-2.0
// The timer's state machine: idle, active, completed or abandoned. Pure.

import AtrestReplication

/// The timer of one device.
///
/// `Fasting` derives the active fast from the records. The timer also remembers that a fast has
/// just ended, which no record says: the screen shows it until the person continues.
public struct FastingMachine: Hashable, Sendable {
  /// The timer's state.
  public enum Status: Hashable, Sendable {
    /// No fast is active.
    case idle
    /// A fast is active.
    case active(Session)
    /// A fast was completed on this device and none was started since.
    case completed(Session)
    /// A fast was abandoned on this device and none was started since.
    case abandoned(Session)

    /// Whether a fast is active.
    public var isActive: Bool {
      if case .active = self { true } else { false }
    }
  }

  /// The timer's state.
  public private(set) var status: Status

  /// Restores the timer at launch from the sessions; an active fast stays active with its target.
  public init(restoring sessions: some Sequence<Session> = []) {
    status = Fasting(sessions).active.map(Status.active) ?? .idle
  }

  /// Starts a fast. No-op while one is active.
  ///
  /// - Parameter targetMinutes: Captured now; later changes of the setting do not affect this fast.
  ///   A target out of range becomes 16 hours, so that a bad value never prevents a start.
  @discardableResult
  public mutating func start(id: RecordUUID, at start: WallTime, targetMinutes: Int) -> Status {
    guard !status.isActive else { return status }
    let target =
      Session.targetRange.contains(targetMinutes) ? targetMinutes : Session.defaultTargetMinutes
    if let session = try? Fasting([]).start(id: id, at: start, targetMinutes: target) {
      status = .active(session)
    }
    return status
  }

  /// Completes the active fast; an end before the start becomes the start. No-op if none is active.
  @discardableResult
  public mutating func complete(at end: WallTime) -> Status {
    guard case .active(let session) = status,
      let ended = try? Fasting([session]).complete(at: end)
    else { return status }
    status = .completed(ended)
    return status
  }

  /// Abandons the active fast. No-op if none is active.
  @discardableResult
  public mutating func abandon(at end: WallTime) -> Status {
    guard case .active(let session) = status,
      let ended = try? Fasting([session]).abandon(at: end)
    else { return status }
    status = .abandoned(ended)
    return status
  }

  /// Applies changes from other devices: a fast started, ended or deleted elsewhere is so here.
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
