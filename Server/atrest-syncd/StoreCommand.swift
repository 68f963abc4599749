// SPDX-License-Identifier: Apache-2.0
// The commands for a whole store, which ask no running daemon.

import ArgumentParser
import AtrestCommandLine
import AtrestPostgreSQL
import AtrestReplication
import AtrestServer

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Check a store, bring a database up to date, or copy one store into another.",
    subcommands: [StoreCheck.self, StoreMigrate.self, StoreCopyCommand.self])
}

struct StoreCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Read a whole store, and say what is wrong with it.",
    discussion: """
      Nothing is changed. A database is read as it is at one moment, while daemons go on, and refused as `serve` would refuse it. A \
      store in a data folder is read while no daemon uses it; `backup` and `verify` check one that is in use.

      The digest is the same for the same contents, in a data folder and in a database.
      """)

  @OptionGroup var data: DataOptions
  @OptionGroup var store: StoreOptions

  func run() async throws {
    try await reported {
      let place = try StorePlace(store, data)
      let archive = try await place.open(for: .check, store.session)
      do {
        try await check(archive, place)
      } catch {
        await archive.close()
        throw error
      }
      await archive.close()
    }
  }

  private func check(_ archive: any StoreArchive, _ place: StorePlace) async throws {
    let report: ArchiveReport
    do throws(StoreError) {
      printLine("\(place) has format \(archive.format), which this version writes.")
      if let database = archive as? PostgresArchive {
        printLine(Text.sentences(try await database.serverFacts()))
      }
      report = try await ArchiveReport.check(archive)
    } catch {
      throw CommandFailure(error.userMessage, ExitStatus(error))
    }
    printLine("It holds \(Text.contents(report)).")
    for problem in report.problems { printLine(problem.sentence.escapedForTerminal) }
    guard report.problemCount == 0 else {
      let hidden = report.problemCount - report.problems.count
      throw CommandFailure(
        "This is wrong in \(Text.counted(report.problemCount, "place"))"
          + (hidden > 0 ? ", of which \(hidden) are not listed" : "")
          + ". Keep a copy of the store, then put a backup in its place.", .data)
    }
    printLine("Nothing is wrong with that.\nDigest: \(Hexadecimal.encoded(report.digest))")
  }
}

struct StoreMigrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Bring a database to the format of this version.",
    discussion: """
      `serve` does the same at its start. Stop the daemons of the older version first: they know other tables. It happens as a whole or not \
      at all. A store in a data folder is brought up to date by `serve` alone.
      """)

  @OptionGroup var store: StoreOptions
  @Flag(name: .customLong("dry-run"), help: "Only say what would be done.") var isDryRun = false

  func run() async throws {
    try await reported {
      guard let database = try store.database() else {
        throw CommandFailure("Say with --store which database is meant.", .usage)
      }
      let migration: PostgresSchema.Migration
      do throws(StoreError) {
        // Without a number: whichever cell it is.
        migration = try await PostgresSchema.migrate(
          database.address, session: store.session,
          cell: database.cell == .sole ? nil : database.cell, isDryRun: isDryRun)
      } catch {
        throw CommandFailure(error.userMessage, ExitStatus(error))
      }
      printLine(Text.sentence(migration, of: database.address, isDryRun: isDryRun))
    }
  }
}

/// Where a store is.
enum StorePlace: CustomStringConvertible {
  case folder(String)
  case database(PostgresAddress)

  /// The place that a command's options name.
  init(_ store: StoreOptions, _ data: DataOptions) throws {
    self = try store.database().map { .database($0.address) } ?? .folder(data.path)
  }

  /// A place in one text: a URL, or the path of a data folder.
  init(parsing text: String, option: String) throws {
    guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
      guard !text.isEmpty, !text.contains("://") else {
        throw CommandFailure(
          "\(option) is neither a postgresql:// URL nor the path of a data folder.", .usage)
      }
      var path = text
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      self = .folder(path)
      return
    }
    do throws(PostgresError) { self = .database(try PostgresAddress(parsing: text)) } catch {
      throw CommandFailure("\(option): \(error.reason).", .usage)
    }
  }

  /// Without a password.
  var description: String {
    switch self {
    case .folder(let path): path.escapedForTerminal
    case .database(let address): "\(address)".escapedForTerminal
    }
  }

  /// Opens the store.
  func open(
    for use: ArchiveUse, _ session: PostgresSession
  ) async throws -> any StoreArchive {
    let random = { @Sendable in UInt64.random(in: 1 ... .max) }
    do throws(StoreError) {
      switch self {
      case .folder(let path):
        return try SQLiteArchive(directory: path, for: use, random: random)
      case .database(let address):
        return try await PostgresArchive.open(address, for: use, session: session, random: random)
      }
    } catch {
      throw CommandFailure(error.userMessage, ExitStatus(error))
    }
  }
}

extension Text {
  static func sentences(_ server: PostgresArchive.ServerFacts) -> String {
    let standbys =
      switch (server.standbys, server.synchronousStandbys) {
      case (0, _): "No standby follows it."
      case (_, nil):
        "\(counted(server.standbys, "standby", "standbys")) can be seen, but not whether one is "
          + "synchronous: GRANT pg_monitor TO this role shows it."
      case (_, 0?):
        "\(counted(server.standbys, "standby", "standbys")), none of them synchronous: after a "
          + "failover devices bring back what it lacks."
      case (_, let count?):
        "\(counted(server.standbys, "standby", "standbys")), \(count) of them synchronous."
      }
    return "It is in PostgreSQL \(server.version.escapedForTerminal). \(standbys)"
  }

  static func sentence(
    _ migration: PostgresSchema.Migration, of address: PostgresAddress, isDryRun: Bool
  ) -> String {
    let place = "\(address)".escapedForTerminal
    let (from, to) = (migration.from, migration.to)
    if from == to { return "\(place) has format \(to) already: there is nothing to do." }
    let origin = from == 0 ? "It holds no store yet" : "It has format \(from)"
    return isDryRun
      ? "\(place) would be brought to format \(to). \(origin). Nothing was changed."
      : "\(place) has format \(to) now. \(from == 0 ? "It held no store before" : "It had format \(from)")."
  }

  private static func counted(_ count: Int, _ noun: String, _ nouns: String) -> String {
    "\(count) \(count == 1 ? noun : nouns)"
  }
}
