// SPDX-License-Identifier: Apache-2.0
// `conflicts`: lists losing writes and restores them.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestSync
import Foundation

/// `conflicts [list | show ID | restore ID | dismiss ID]`: what was set aside.
public struct ConflictsCommand<Program: Companion>: ParsableCommand {
  /// The command without a subcommand, which lists.
  public init() {}

  /// Its name, help and subcommands.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "conflicts",
      abstract: "Changes that were set aside because two devices made one.",
      discussion: """
        When two devices change the same thing without knowing of each other, the later change \
        is kept and the other one is set aside here for 90 days.
        """,
      subcommands: [List.self, Show.self, Restore.self]
        + (Program.dismissesConflicts ? [Dismiss.self] : []), defaultSubcommand: List.self)
  }

  /// Finds the entry with an id prefix.
  static func find(
    _ typed: String, in entries: [JournalEntry], _ context: CommandContext
  ) throws(IDProblem) -> JournalEntry {
    try ShortID.find(
      typed, in: entries, noun: "conflict", id: \.displayID,
      describe: { ConflictWords(Program.self, context).summary($0) })
  }

  /// The known device names.
  static func devices(_ replica: Replica?) throws(ReplicaError) -> DeviceNames {
    guard let replica else { return DeviceNames(own: .none, names: [:]) }
    return DeviceNames(own: try replica.status().replica, names: try replica.deviceNames())
  }

  /// The records of some entries, deleted ones included.
  static func records(
    _ replica: Replica?, _ entries: [JournalEntry]
  ) throws(ReplicaError) -> [RecordKey: Record] {
    var records: [RecordKey: Record] = [:]
    for key in Set(entries.map(\.conflict.key)) { records[key] = try replica?.record(key) }
    return records
  }

  struct List: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "list", abstract: "List what was set aside, newest first.",
        discussion: """
          EXAMPLES:
            \(Program.programName) conflicts list
            \(Program.programName) conflicts list --json
          """)
    }

    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let words = ConflictWords(Program.self, context)
      let replica = try options.openExisting()
      let entries = try replica?.conflicts() ?? []
      let devices = try ConflictsCommand.devices(replica)
      let ids = ShortID.shortened(entries.map(\.displayID))
      let records = try ConflictsCommand.records(replica, entries)
      try format.answer(
        entries.map { ConflictRow($0, devices, words.records) },
        entries.isEmpty
          ? Language.text(
            "Nothing was set aside. Your devices agree on what they have exchanged.",
            de:
              "Nichts liegt beiseite. Deine Geräte sind sich einig über das, was sie abgeglichen haben."
          )
          : words.list(entries, ids: ids, devices, records: records).text(Terminal.style))
    }
  }

  struct Show: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "show", abstract: "Show both values of a conflict.",
        discussion: """
          EXAMPLES:
            \(Program.programName) conflicts show 81c0
          """)
    }

    @Argument(help: "The beginning of its id.") var id: String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let words = ConflictWords(Program.self, context)
      let replica = try options.openExisting()
      let entries = try replica?.conflicts() ?? []
      let entry = try ConflictsCommand.find(id, in: entries, context)
      let devices = try ConflictsCommand.devices(replica)
      let ids = ShortID.shortened(entries.map(\.displayID))
      let record = try replica?.record(entry.conflict.key)
      try format.answer(
        ConflictRow(entry, devices, words.records),
        words.detail(
          entry, id: ids[entry.displayID] ?? entry.displayID, devices, record: record))
    }
  }

  struct Restore: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "restore", abstract: "Write the value that was set aside back.",
        discussion: """
          It becomes an ordinary change of now, and reaches your other devices with the next \
          sync.

          EXAMPLES:
            \(Program.programName) conflicts restore 81c0
          """)
    }

    @Argument(help: "The beginning of its id.") var id: String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let words = ConflictWords(Program.self, context)
      let replica = try options.openExisting()
      let entry = try ConflictsCommand.find(id, in: replica?.conflicts() ?? [], context)
      try replica?.transaction { store in try store.action(.restore) { try store.restore(entry) } }
      try format.answer(
        ConflictRow(entry, try ConflictsCommand.devices(replica), words.records),
        Language.text(
          "Written back: \(words.setAside(entry)). "
            + "Your other devices learn of it with the next sync.",
          de: "Zurückgeschrieben: \(words.setAside(entry)). "
            + "Deine anderen Geräte erfahren es beim nächsten Abgleich."))
    }
  }

  struct Dismiss: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "dismiss", abstract: "Put a conflict away, on all of your devices.",
        discussion: """
          What was kept stays as it is.

          EXAMPLES:
            \(Program.programName) conflicts dismiss 81c0
          """)
    }

    @Argument(help: "The beginning of its id.") var id: String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let words = ConflictWords(Program.self, context)
      let replica = try options.openExisting()
      let entry = try ConflictsCommand.find(id, in: replica?.conflicts() ?? [], context)
      _ = try replica?.transaction { store in
        try store.action(.edit) { try store.delete(entry.key) }
      }
      try format.answer(
        ConflictRow(entry, try ConflictsCommand.devices(replica), words.records),
        Language.text(
          "Put away: \(words.setAside(entry)). What was kept stays as it is.",
          de: "Weggelegt: \(words.setAside(entry)). Was galt, gilt weiter."))
    }
  }
}
