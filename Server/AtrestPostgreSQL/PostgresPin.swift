// SPDX-License-Identifier: Apache-2.0
// What a session was when it opened, checked in each transaction. Pure.

/// The backend of a session and its promise of COMMIT, as they were when the session was checked.
///
/// A pool that gives each transaction another backend, such as PgBouncer in transaction mode, mixes
/// up what sessions have set: a backend on which another client turned `synchronous_commit` off
/// confirms what a crash loses. So each transaction sets the promise for itself, and a session with
/// another backend is refused.
struct PostgresPin: Equatable, Sendable {
  /// The server's process.
  let backend: Int64
  /// The checked `synchronous_commit`.
  let commit: String

  /// In every session, under this name.
  static let prepared = PreparedStatement(
    name: "atrest_pin",
    sql: "SELECT pg_backend_pid()::int8, set_config('synchronous_commit', $1, true)",
    parameters: [.text])

  /// The second statement of each transaction.
  var statement: PostgresStatement { PostgresStatement(Self.prepared, [.text(commit)]) }

  /// - Parameter answer: To `statement`.
  /// - Returns: Why the session may not be used, or nil.
  func objection(to answer: PostgresResult?) -> PostgresError? {
    guard answer?.rows.first?.first?.int8 == backend else {
      return .refused(
        "its sessions move from one backend to another, as behind PgBouncer in transaction mode. "
          + "Connect to the server itself, or through a pool in session mode")
    }
    return nil
  }
}
