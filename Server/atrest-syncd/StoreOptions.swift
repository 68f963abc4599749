// SPDX-License-Identifier: Apache-2.0
// The options that name a database.

import ArgumentParser
import AtrestCommandLine
import AtrestPostgreSQL
import AtrestServer

/// The store option, the same for every command that opens a database.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      """
      The PostgreSQL database that holds the records, for several servers: \
      postgresql://user@host:5432/database. Otherwise a file in the data folder. Where accounts are spread over several databases, each is \
      a cell with a number, 1 to 399: 2=postgresql://host/database; serve takes as many as there are. A password belongs into ~/.pgpass or \
      PGPASSWORD, because a command line can be read by every user of the machine.
      """, valueName: "url"))
  var urls: [String] = []

  @Flag(
    name: .customLong("allow-weak-commits"),
    help: """
      Use a database whose synchronous_commit is local or remote_write: a standby may lack what devices were told is safe.
      """)
  var allowsWeakCommits = false

  /// A database, and which cell it is.
  struct Database {
    let cell: CellNumber
    let address: PostgresAddress
  }

  /// The only database; nil: a file in the data folder.
  func database() throws -> Database? {
    guard urls.count < 2 else {
      throw CommandFailure("This command takes one --store.", .usage)
    }
    return try urls.first.map(Self.database)
  }

  /// All databases by cell; none: a file in the data folder.
  func databases() throws -> [CellNumber: PostgresAddress] {
    let found = try urls.map(Self.database)
    return try Dictionary(found.map { ($0.cell, $0.address) }) { _, _ in
      throw CommandFailure(
        "Two --store options name one cell. Begin each with another number: 1=postgresql://…",
        .usage)
    }
  }

  private static func database(_ text: String) throws -> Database {
    var (cell, url) = (CellNumber.sole, text[...])
    if let end = text.firstIndex(of: "="), !text[..<end].contains(":") {
      guard let number = CellNumber(text[..<end].utf8) else {
        throw CommandFailure(
          "--store: a cell's number is 1 to \(CellNumber.greatest), as in 2=postgresql://…", .usage)
      }
      (cell, url) = (number, text[text.index(after: end)...])
    }
    do throws(PostgresError) {
      return Database(cell: cell, address: try PostgresAddress(parsing: String(url)))
    } catch {
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
