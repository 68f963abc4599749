// SPDX-License-Identifier: Apache-2.0
// Which of several servers a program's sessions are with.

import Synchronization

/// The server of a program's newest session. Thread-safe.
///
/// An address of several hosts leads each session to the first primary that answers. Where two are
/// primaries, sessions that were opened at different moments are with different servers: what one
/// commits, another does not see, and nobody hears of. So all sessions are with the server of the
/// newest one, and whoever owns another opens it again.
package final class PostgresServerChoice: Sendable {
  private let server = Mutex<Int64?>(nil)

  package init() {}

  /// Notes a session that was opened.
  ///
  /// - Parameter server: See `PostgresConnection.server`.
  package func choose(_ server: Int64?) {
    if let server { self.server.withLock { $0 = server } }
  }

  /// Whether a session is with the server of the newest one.
  package func isCurrent(_ server: Int64?) -> Bool {
    self.server.withLock { $0 == nil || $0 == server }
  }
}
