// SPDX-License-Identifier: Apache-2.0
// The options that name a database.

import ArgumentParser
import AtrestCommandLine
import AtrestPostgreSQL

/// The store option, the same for every command that opens a database.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      """
      The PostgreSQL database that holds the records, for several servers: \
      postgresql://user@host:5432/database. Otherwise a file in the data folder. A password belongs into ~/.pgpass or PGPASSWORD, \
      because a command line can be read by every user of the machine.
      """, valueName: "url"))
  var url: String?

  @Flag(
    name: .customLong("allow-weak-commits"),
    help: """
      Use a database whose synchronous_commit is local or remote_write: a standby may lack what devices were told is safe.
      """)
  var allowsWeakCommits = false

  /// The database; nil: a file in the data folder.
  func database() throws -> PostgresAddress? {
    guard let url else { return nil }
    do throws(PostgresError) { return try PostgresAddress(parsing: url) } catch {
      throw CommandFailure("--store: \(error.reason).", .usage)
    }
  }

  /// What sessions with it allow.
  var session: PostgresSession { Self.session(allowsWeakCommits: allowsWeakCommits) }

  static func session(allowsWeakCommits: Bool) -> PostgresSession {
    var session = PostgresSession()
    if allowsWeakCommits { session.allowedCommits = [.local, .remoteWrite] }
    return session
  }
}
