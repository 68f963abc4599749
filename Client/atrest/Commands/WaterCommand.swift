// SPDX-License-Identifier: Apache-2.0
// `atrest water`: records, lists, edits and deletes drinks.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestWire
import Foundation

/// `atrest water add|today|list|edit|delete|undo`; alone it is `today`.
struct WaterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "water", abstract: "Note water, and look at it.",
    discussion: """
      EXAMPLES:
        atrest water add 250ml
        atrest water today
        atrest water undo
      """,
    subcommands: [Add.self, Today.self, List.self, Edit.self, Delete.self, Undo.self],
    defaultSubcommand: Today.self)

  /// Finds the entry with an id prefix.
  static func find(
    _ typed: String, in entries: [WaterEntry], _ context: CommandContext
  ) throws(IDProblem) -> WaterEntry {
    try ShortID.find(
      typed, in: entries, noun: "entry", id: { ShortID.hex($0.id) },
      describe: { AtrestVocabulary.words($0.intake, context) })
  }

  /// Creates an intake from typed values and checks them.
  static func intake(
    at: WallTime, millilitres: Int, _ context: CommandContext
  ) throws(InputProblem) -> WaterEntry.Intake {
    try TypedRules.check(time: at, now: context.now)
    try TypedRules.check(millilitres: millilitres, unit: context.unit)
    guard let intake = WaterEntry.Intake(at: at, millilitres: millilitres) else {
      throw .amountOutOfRange
    }
    return intake
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Note something drunk.",
      discussion: """
        Without an amount it is your quick addition, 250 ml unless you chose another. A number without a unit is in the one \
        that water is shown in.

        EXAMPLES:
          atrest water add
          atrest water add 250ml
          atrest water add 8oz --at "yesterday 22:30"
        """)

    @Argument(help: "How much: 250, 250ml, 0.5l or 8oz; otherwise your quick addition.")
    var amount: String?
    // `1 l`, as people write it, is two arguments.
    @Argument(help: .hidden) var unit: String?
    @Option(help: ArgumentHelp("When; otherwise now.", valueName: "time")) var at: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let time = try context.time(at) ?? context.now
      // Invalid input must not create a replica.
      let amount = amount.map { [$0, unit ?? ""].joined(separator: " ") }
      if let amount { _ = try Typed.millilitres(amount) }
      let (entry, person, water) = try options.open().transaction { store in
        let choices = try Choices(store)
        let person = context.following(choices)
        let typed = try amount.map { try Typed.millilitres($0, unit: person.unit) }
        let intake = try WaterCommand.intake(
          at: time, millilitres: typed ?? choices.settings.quickAddMillilitres, person)
        let entry = WaterEntry(id: RecordUUID.random(), intake: intake)
        try store.note(entry)
        return (entry, person, try store.waterAround(context.now))
      }
      let total = WaterDay.total(of: water, onDayOf: context.now, in: context.zone)
      try format.answer(
        WaterRow(entry, in: context.zone),
        WaterWords.noted(entry, total: total, person))
    }
  }

  struct Today: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "today", abstract: "Today's water.",
      discussion: """
        EXAMPLES:
          atrest water today
          atrest water today --json
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      var context = CommandContext.current()
      var day: WaterDay?
      var ids: [String: String] = [:]
      if let replica = try options.openExisting() {
        let (choices, water) = try replica.look { store in
          (try Choices(store), try store.waterAround(context.now))
        }
        context = context.following(choices)
        let today = LocalDay(context.now, in: context.zone)
        day = WaterDay.days(of: water, in: context.zone).first { $0.day == today }
        for entry in day?.entries ?? [] {
          let hex = ShortID.hex(entry.id)
          let digits = try replica.look {
            try $0.distinctDigits(of: RecordKey(kind: .water, id: entry.id.bytes))
          }
          ids[hex] = String(hex.prefix(max(ShortID.digits, digits)))
        }
      }
      try format.answer(
        WaterDayRow(day, context),
        day.map { WaterWords.list([$0], ids: ids, context, Terminal.style) }
          ?? "\(Word.waterEmpty.text) \(WaterWords.howToNote)")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List what was drunk, latest day first.",
      discussion: """
        EXAMPLES:
          atrest water list
          atrest water list --days 30 --json
        """)

    @Option(help: ArgumentHelp("Today and the days before, so many in all.", valueName: "count"))
    var days = 7
    @Flag(help: "All days.") var all = false
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
      guard (1...1_000_000).contains(days) else {
        throw ValidationError("`--days` needs a number from 1 to 1000000.")
      }
    }

    func run() throws {
      let context = CommandContext.current()
      let replica = try options.openExisting()
      let entries = try replica?.water() ?? []
      let choices = try replica?.look { try Choices($0) } ?? .none
      let today = LocalDay(context.now, in: context.zone)
      let shown = WaterDay.days(of: entries, in: context.zone)
        .filter { all || $0.day.number > today.number - days }
      let ids = ShortID.shortened(entries.map { ShortID.hex($0.id) })
      try format.answer(
        shown.flatMap { $0.entries.reversed() }.map { WaterRow($0, in: context.zone) },
        shown.isEmpty
          ? WaterWords.nothing
          : WaterWords.list(shown, ids: ids, context.following(choices), Terminal.style))
    }
  }

  struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit", abstract: "Correct an entry.",
      discussion: """
        EXAMPLES:
          atrest water edit 3f2a --amount 300ml
          atrest water edit 3f2a --at 9:15
        """)

    @Argument(help: "The beginning of its id.") var id: String
    @Option(help: "How much.") var amount: String?
    @Option(help: ArgumentHelp("When.", valueName: "time")) var at: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
      if amount == nil, at == nil {
        throw ValidationError("Say what to correct: `--amount` or `--at`.")
      }
    }

    func run() throws {
      let context = CommandContext.current()
      let time = try context.time(at)
      if let amount { _ = try Typed.millilitres(amount) }
      guard let replica = try options.openExisting() else {
        throw IDProblem.unknown(noun: "entry")
      }
      let (entry, choices) = try replica.transaction { store in
        let choices = try Choices(store)
        let person = context.following(choices)
        let millilitres = try amount.map { try Typed.millilitres($0, unit: person.unit) }
        let entry = try WaterCommand.find(id, in: store.water(), context)
          .edited(at: time, millilitres: millilitres, unit: person.unit, now: context.now)
        try store.action(.editWater) { try store.save(entry) }
        return (entry, choices)
      }
      try format.answer(
        WaterRow(entry, in: context.zone),
        WaterWords.corrected(entry, context.following(choices)))
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Take an entry away, on every device.",
      discussion: """
        EXAMPLES:
          atrest water delete 3f2a
        """)

    @Argument(help: "The beginning of its id.") var id: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      guard let replica = try options.openExisting() else {
        throw IDProblem.unknown(noun: "entry")
      }
      let (entry, choices) = try replica.transaction { store in
        let entry = try WaterCommand.find(id, in: store.water(), context)
        try store.action(.deleteWater) {
          _ = try store.delete(RecordKey(kind: .water, id: entry.id.bytes))
        }
        return (entry, try Choices(store))
      }
      try format.answer(
        WaterRow(entry, in: context.zone),
        WaterWords.deleted(entry, context.following(choices)))
    }
  }

  struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo", abstract: "Take back what was noted last on this device.",
      discussion: """
        EXAMPLES:
          atrest water undo
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try UndoCommand.undo(.water, options, format)
    }
  }
}
