// SPDX-License-Identifier: Apache-2.0
// Which of several servers a program's sessions are with.

import Synchronization

/// The server that all sessions of a program are with. Thread-safe.
///
/// Where two servers are primaries, what a session with one commits, a session with the other does
/// not see. So all sessions are with the server of the newest session: those with another one are
/// closed, though they wait for an answer. A primary that was superseded is never chosen again: a
/// promoted standby has taken its place, and what it commits would be lost.
package final class PostgresServerChoice: Sendable {
  private struct State {
    var server: PostgresServerIdentity?
    var target: PostgresTarget?
    var sessions: [ObjectIdentifier: (PostgresConnection, PostgresServerIdentity)] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// The server in use; nil before the first session.
  package var server: PostgresServerIdentity? { state.withLock { $0.server } }

  /// Where the server in use was found.
  var target: PostgresTarget? { state.withLock { $0.target } }

  /// Takes the server of a session that was opened as the one in use, and keeps the session until
  /// it `leaves`.
  ///
  /// - Returns: Why the server must not be used, or nil.
  package func join(
    _ session: PostgresConnection, at server: PostgresServerIdentity
  ) -> PostgresError? {
    join(session, at: server, target: nil)
  }

  func join(
    _ session: PostgresConnection, at server: PostgresServerIdentity, target: PostgresTarget?
  ) -> PostgresError? {
    let (objection, others) = state.withLock { state in
      if let current = state.server, server.isSuperseded(by: current) {
        return (Self.superseded(server, by: current) as PostgresError?, [] as [PostgresConnection])
      }
      (state.server, state.target) = (server, target)
      state.sessions[ObjectIdentifier(session)] = (session, server)
      return (nil, state.sessions.values.filter { $0.1 != server }.map(\.0))
    }
    for other in others { other.closeSoon(as: .lost("another session has found another server")) }
    return objection
  }

  /// Closes all sessions, because their server gives no answer, not even to a new one. Batches that
  /// wait hear of it long before their deadlines.
  func abandon() {
    let sessions = state.withLock { $0.sessions.values.map(\.0) }
    for session in sessions { session.closeSoon(as: .noAnswer) }
  }

  /// Forgets a session that has ended.
  func leave(_ session: PostgresConnection) {
    let left = state.withLock { $0.sessions.removeValue(forKey: ObjectIdentifier(session)) }
    withExtendedLifetime(left) {}
  }

  private static func superseded(
    _ server: PostgresServerIdentity, by other: PostgresServerIdentity
  ) -> PostgresError {
    let timelines = [server, other].map { $0.history.map { String($0.timeline) } ?? "?" }
    return .lost(
      "it is an old primary, at timeline \(timelines[0]); timeline \(timelines[1]) was in use. "
        + "Stop it. If it was restored on purpose, start this program again")
  }
}
