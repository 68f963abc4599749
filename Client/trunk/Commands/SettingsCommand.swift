// SPDX-License-Identifier: Apache-2.0
// `trunk settings`: what the garden is called.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk settings`: what the garden is called.
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "What the garden is called.",
    discussion: """
      EXAMPLES:
        trunk settings
        trunk settings --name "Behind the house"
      """)

  @Option(help: ArgumentHelp("What the garden is called; empty for no name.", valueName: "text"))
  var name: String?
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let name: String?
  }

  func run() throws {
    var current = try options.garden().name
    if let name {
      let label = try GardenRules.label(name)
      current = label
      try options.change { _, store in
        try store.save(GardenSetting(id: .gardenName, value: label ?? ""))
      }
    }
    try format.answer(
      Row(name: current),
      current.map { "The garden is called \($0.quotedForTerminal)." }
        ?? "The garden has no name. `trunk settings --name \"A name\"` gives it one.")
  }
}
