// SPDX-License-Identifier: Apache-2.0
// `trunk twig`: a twig with its sprouts and leaves.

import ArgumentParser
import AtrestCompanion
import TrunkDomain
import TrunkPresentation

/// `trunk twig 3.5`.
struct TwigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "twig", abstract: "A twig with its sprouts and leaves.",
    discussion: """
      EXAMPLES:
        trunk twig 3.5
        trunk twig 3.5 --svg twig.svg
      """)

  @Argument(help: "Branch and twig, such as 3.5.") var twig: String
  @OptionGroup var picture: PictureOptions
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let twig: String
    let label: String?
    let note: String?
    let sprouts: [SproutRow]
    let leaves: [LeafRow]

    init(_ twig: Twig, in garden: Garden) {
      self.twig = twig.number
      label = garden.labels[.twig(twig)]?.label
      note = garden.labels[.twig(twig)]?.note
      sprouts = SproutRow.rows(garden.sprouts(on: twig), in: garden)
      leaves = garden.leaves.filter { $0.twig == twig }.map { LeafRow($0, in: garden) }
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let twig = try TypedGarden.twig(twig)
    let garden = try options.garden()
    let isPicture = try picture.write(format, Row(twig, in: garden)) { width, _ in
      TwigPicture.svg(
        garden, twig, at: context.now, in: context.zone, width: width)
    }
    if !isPicture { try format.answer(Row(twig, in: garden), words(twig, garden, context)) }
  }

  private func words(_ twig: Twig, _ garden: Garden, _ context: CommandContext) -> String {
    let style = Terminal.colourStyle
    var parts = [style.strong(GardenWords.name(.twig(twig), in: garden).asSentence)]
    if let note = garden.labels[.twig(twig)]?.note { parts.append(note.linesEscapedForTerminal) }
    let sprouts = garden.sprouts(on: twig)
    parts.append(
      sprouts.isEmpty
        ? "No sprouts yet. `trunk plant \"A goal\" --on \(twig.number)` plants one."
        : GardenWords.table(sprouts, in: garden, context, style))
    for leaf in garden.leaves where leaf.twig == twig {
      let members = garden.sprouts(of: leaf).map(GardenWords.title)
      let list = members.isEmpty ? "nothing yet" : members.joined(separator: ", ")
      parts.append("Leaf \(leaf.name.quotedForTerminal): \(list)")
    }
    return parts.joined(separator: "\n\n")
  }
}
