// SPDX-License-Identifier: Apache-2.0
// `trunk status`: the garden in a line, and how its devices agree.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk status`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "What there is, and what waits for your other devices.",
    discussion: """
      EXAMPLES:
        trunk status
        trunk status --json
      """)

  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let meters: MetersRow
    let growing: Int
    let conflicts: Int
    let sync: SyncStatus
  }

  func run() throws {
    let context = CommandContext.current()
    let replica = try options.openExisting()
    let garden = try replica?.look { try $0.garden(hasWords: false) } ?? Garden()
    let status = try replica?.status()
    let pending = (status?.refusedCount ?? 0) > 0 ? try replica?.pending() ?? [] : []
    let sync = SyncStatus(status, pending, of: Trunk.self)
    let conflicts = try replica?.look { try $0.conflicts().count } ?? 0
    let meters = garden.meters(at: context.now, in: context.zone)
    var lines = [
      GardenWords.meters(meters, context),
      GardenWords.list([(garden.growing.count, "sprout grows", "sprouts grow")]).map { $0 + "." }
        ?? "Nothing grows at present.",
    ]
    if conflicts > 0 {
      let values = conflicts == 1 ? "1 value was" : "\(conflicts) values were"
      lines.append("\(values) set aside when devices disagreed; `trunk conflicts` shows them.")
    }
    lines += sync.lines(context, of: Trunk.self)
    try format.answer(
      Row(
        meters: MetersRow(meters), growing: garden.growing.count, conflicts: conflicts, sync: sync),
      lines.joined(separator: "\n"))
  }
}
