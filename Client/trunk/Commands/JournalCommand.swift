// SPDX-License-Identifier: Apache-2.0
// `trunk journal`: all words.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk journal`: all words.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "The words of waterings, shinings and harvests, latest first.",
    discussion: """
      EXAMPLES:
        trunk journal
        trunk journal middlemarch
        trunk journal --limit 200
      """)

  @Argument(help: "Only those of a sprout: the beginning of its id, or words of its title.")
  var sprout: String?
  @Option(help: ArgumentHelp("The most entries.", valueName: "count")) var limit = 50
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func validate() throws {
    guard (1...1_000_000).contains(limit) else {
      throw ValidationError("`--limit` needs a number from 1 to 1000000.")
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let garden = try options.garden()
    let only = try sprout.map { try TypedGarden.sprout($0, in: garden) }
    let byID = Dictionary(garden.sprouts.map { ($0.id, $0) }) { first, _ in first }
    var entries: [(at: WallTime, row: JournalRow, line: String)] = []
    for watering in garden.waterings where only == nil || only?.id == watering.sprout {
      let sprout = byID[watering.sprout]
      let title = sprout.map(GardenWords.title) ?? "a sprout that is not here"
      entries.append((watering.at, JournalRow(watering, sprout), "watered \(title)"))
    }
    for sprout in garden.sprouts where only == nil || only?.id == sprout.id {
      guard let row = JournalRow(endOf: sprout) else { continue }
      let title = GardenWords.title(sprout)
      let line =
        row.result.map { "harvested \(title), \($0) of 5" } ?? "uprooted \(title)"
      entries.append((row.at, row, line))
    }
    if only == nil {
      for shining in garden.shinings {
        let place = GardenWords.name(.twig(shining.twig), in: garden)
        entries.append((shining.at, JournalRow(shining), "sun on \(place)"))
      }
    }
    let shown = entries.sorted { $0.at > $1.at }.prefix(limit)
    try format.answer(
      shown.map(\.row),
      shown.isEmpty
        ? "There are no words yet. `trunk water` writes some."
        : shown.map { entry in
          let head = "\(Terminal.style.quiet(context.words(entry.at)))  \(entry.line)"
          guard let note = entry.row.note else { return head }
          let lines = Wrapping.lines(note.linesEscapedForTerminal, width: Terminal.columns - 2)
          return head + "\n" + lines.map { "  " + $0 }.joined(separator: "\n")
        }.joined(separator: "\n"))
  }
}
