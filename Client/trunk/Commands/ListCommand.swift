// SPDX-License-Identifier: Apache-2.0
// `trunk list`: sprouts.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk list`: sprouts.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List sprouts: what grows, or all of them.",
    discussion: """
      EXAMPLES:
        trunk list
        trunk list --all
        trunk list --on 3
      """)

  @Flag(help: "Also drafts, harvests and what was uprooted.") var all = false
  @Option(help: ArgumentHelp("Only those of a branch or a twig, all of them.", valueName: "node"))
  var on: String?
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    let node = try on.map { try TypedGarden.node($0) }
    let garden = try options.garden()
    let sprouts: [Sprout] =
      switch node {
      case .trunk: garden.sprouts
      case .branch(let branch): garden.sprouts(onBranch: branch)
      case .twig(let twig): garden.sprouts(on: twig)
      case nil: all ? garden.sprouts : garden.growing
      }
    try format.answer(
      SproutRow.rows(sprouts, in: garden),
      sprouts.isEmpty
        ? "Nothing \(node == nil && !all ? "grows" : "is") there. `trunk plant` plants something."
        : GardenWords.table(sprouts, in: garden, context, Terminal.style))
  }
}
