// SPDX-License-Identifier: Apache-2.0
// `trunk` alone: the tree.

import ArgumentParser
import AtrestCompanion
import TrunkDomain
import TrunkPresentation

/// `trunk` alone: the tree.
struct TreeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree", abstract: "The tree: what grows, soil, water and sun.",
    discussion: """
      EXAMPLES:
        trunk
        trunk tree --json
        trunk tree --svg tree.svg --size 1280x800
      """)

  @OptionGroup var picture: PictureOptions
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let name: String?
    let label: String?
    let note: String?
    let meters: MetersRow
    let growing: [SproutRow]
    let branches: [Branch]

    struct Branch: Encodable {
      let branch: Int
      let label: String?
      let drafts: Int
      let growing: Int
      let harvested: Int
      let uprooted: Int

      init(_ number: Int, in garden: Garden) {
        let counts = SproutCounts(of: garden.sprouts(onBranch: number))
        branch = number + 1
        label = garden.labels[.branch(number)]?.label
        drafts = counts.drafts
        growing = counts.growing
        harvested = counts.harvested
        uprooted = counts.uprooted
      }
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let garden = try options.garden(hasWords: false)
    let meters = garden.meters(at: context.now, in: context.zone)
    func row() -> Row {
      Row(
        name: garden.name, label: garden.labels[.trunk]?.label,
        note: garden.labels[.trunk]?.note, meters: MetersRow(meters),
        growing: SproutRow.rows(garden.growing, in: garden),
        branches: (0..<Twig.branches).map { Row.Branch($0, in: garden) })
    }
    let isPicture = try picture.write(format, row()) { width, height in
      GardenPicture.svg(garden, at: context.now, in: context.zone, width: width, height: height)
    }
    if !isPicture { try format.answer(row(), words(garden, meters, context)) }
  }

  private func words(
    _ garden: Garden, _ meters: Meters, _ context: CommandContext
  ) -> String {
    let style = Terminal.colourStyle
    var parts: [String] = []
    if let name = garden.name { parts.append(style.strong(name.escapedForTerminal)) }
    parts.append(GardenWords.meters(meters, context))
    if garden.sprouts.isEmpty {
      if let note = garden.labels[.trunk]?.note { parts.append(note.linesEscapedForTerminal) }
      parts.append(
        GardenWords.wrapped("Nothing is planted yet. `trunk plant \"A goal\" --on 3.5` begins."))
      return parts.joined(separator: "\n\n")
    }
    let columns = DrawingText.columns
    let drawing = GardenDrawing.draw(
      garden, at: context.now, in: context.zone, width: columns, height: max(20, columns / 3))
    parts = [DrawingText.text(drawing, style)]
    if meters.soil < .zero { parts.append(GardenWords.wrapped(GardenWords.belowZero)) }
    if let note = garden.labels[.trunk]?.note {
      parts.append(GardenWords.wrapped(note.linesEscapedForTerminal))
    }
    let growing = garden.growing
    if !growing.isEmpty {
      parts.append(
        "Growing (\(growing.count))\n"
          + GardenWords.table(growing, in: garden, context, style))
    }
    return parts.joined(separator: "\n\n")
  }
}
