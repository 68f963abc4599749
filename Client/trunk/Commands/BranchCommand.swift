// SPDX-License-Identifier: Apache-2.0
// `trunk branch`: a branch with its twigs.

import ArgumentParser
import AtrestCompanion
import TrunkDomain
import TrunkPresentation

/// `trunk branch 3`.
struct BranchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "branch", abstract: "A branch with its eight twigs.",
    discussion: """
      EXAMPLES:
        trunk branch 3
        trunk branch 3 --svg branch.svg
      """)

  @Argument(help: "Its number, 1 to 8.") var branch: String
  @OptionGroup var picture: PictureOptions
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let branch: Int
    let label: String?
    let note: String?
    let twigs: [TwigCommand.Row]
  }

  func run() throws {
    let context = CommandContext.current()
    let number = try TypedGarden.branch(branch)
    let garden = try options.garden()
    let twigs = Twig.all.filter { $0.branch == number }
    let own = garden.labels[.branch(number)]
    func row() -> Row {
      Row(
        branch: number + 1, label: own?.label, note: own?.note,
        twigs: twigs.map { TwigCommand.Row($0, in: garden) })
    }
    let isPicture = try picture.write(format, row()) { width, _ in
      BranchPicture.svg(
        garden, branch: number, at: context.now, in: context.zone, width: width)
    }
    if !isPicture { try format.answer(row(), words(number, twigs, garden, context)) }
  }

  private func words(
    _ number: Int, _ twigs: [Twig], _ garden: Garden, _ context: CommandContext
  ) -> String {
    let style = Terminal.colourStyle
    var parts = [style.strong(GardenWords.name(.branch(number), in: garden).asSentence)]
    if let note = garden.labels[.branch(number)]?.note {
      parts.append(note.linesEscapedForTerminal)
    }
    var table = Table("TWIG", "LABEL", "SPROUTS")
    for twig in twigs {
      let sprouts = garden.sprouts(on: twig).map {
        "\($0.title) (\(GardenWords.state($0.state)))"
      }
      table.add(
        twig.number, garden.labels[.twig(twig)]?.label ?? "", sprouts.joined(separator: "; "))
    }
    parts.append(table.text(heading: style.quiet, width: Terminal.readColumns))
    return parts.joined(separator: "\n\n")
  }
}
