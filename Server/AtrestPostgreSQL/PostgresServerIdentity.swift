// SPDX-License-Identifier: Apache-2.0
// Which server a session is with, and how far its history has come. Pure.

/// A server, as it names itself in the opening of a session.
package struct PostgresServerIdentity: Equatable, Sendable {
  /// A line of promotions. Standbys and copied data folders share the number of their cluster.
  package struct History: Equatable, Sendable {
    package let system: Int64
    /// Raised by each promotion, and by each restoration that replays the log.
    package let timeline: UInt32

    package init(system: Int64, timeline: UInt32) {
      self.system = system
      self.timeline = timeline
    }
  }

  /// When it was started, in microseconds. A promoted standby, a copied data folder and a restart
  /// have other ones.
  package let started: Int64
  /// Nil if the server does not tell.
  package let history: History?

  package init(started: Int64, history: History?) {
    self.started = started
    self.history = history
  }

  /// Whether it is a primary that another one has followed: the other's timeline is higher, in the
  /// same cluster. What it commits is lost when it is stopped.
  package func isSuperseded(by other: PostgresServerIdentity) -> Bool {
    guard let history, let newer = other.history, history.system == newer.system else {
      return false
    }
    return history.timeline < newer.timeline
  }

  /// The one to use of several primaries: the newest, else the one in use, else the first.
  /// - Returns: An index; nil if there is none.
  static func best(
    of servers: [PostgresServerIdentity], current: PostgresServerIdentity?
  ) -> Int? {
    let inOrder = servers.indices.sorted { servers[$0] == current && servers[$1] != current }
    return inOrder.first { index in !servers.contains { servers[index].isSuperseded(by: $0) } }
  }
}

extension PostgresServerIdentity {
  /// `pg_control_checkpoint()` would show the old timeline until the checkpoint that follows a
  /// promotion.
  static let question = PostgresBatch(
    [
      PostgresStatement(
        "SELECT (SELECT system_identifier FROM pg_control_system()), "
          + "pg_walfile_name(pg_current_wal_lsn())")
    ], changes: false)

  /// Reads the answer to `question`: the first eight digits of a log file's name are its timeline.
  static func history(_ answers: [PostgresResult]) -> History? {
    guard let row = answers.first?.rows.first, row.count == 2, let system = row[0].int8,
      let timeline = row[1].text.flatMap({ UInt32($0.prefix(8), radix: 16) })
    else { return nil }
    return History(system: system, timeline: timeline)
  }
}
