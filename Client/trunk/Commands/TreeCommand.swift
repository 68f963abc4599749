// SPDX-License-Identifier: Apache-2.0
// `trunk`, `trunk branch`, `trunk twig`: what is there.

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
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let garden = try options.garden()
    let meters = garden.meters(at: context.now, in: context.zone)
    let branches = (0..<Twig.branches).map { BranchCounts($0, in: garden) }
    func row() -> Row {
      Row(
        name: garden.name, meters: MetersRow(meters),
        growing: SproutRow.rows(garden.growing, in: garden),
        branches: branches.map {
          Row.Branch(
            branch: $0.branch + 1, label: garden.labels[.branch($0.branch)]?.label,
            drafts: $0.drafts, growing: $0.growing, harvested: $0.harvested, uprooted: $0.uprooted)
        })
    }
    let isPicture = try picture.write(format, row()) { width, height in
      GardenPicture.svg(garden, at: context.now, in: context.zone, width: width, height: height)
    }
    if !isPicture { try format.answer(row(), words(garden, meters, context)) }
  }

  private func words(
    _ garden: Garden, _ meters: Meters, _ context: CommandContext
  ) -> String {
    let style = Terminal.style
    var parts: [String] = []
    if let name = garden.name { parts.append(style.strong(name.escapedForTerminal)) }
    parts.append(GardenWords.meters(meters, context))
    if garden.sprouts.isEmpty {
      parts.append("Nothing is planted yet. `trunk plant \"A goal\" --on 3.5` begins.")
      return parts.joined(separator: "\n\n")
    }
    let columns = DrawingText.columns
    let drawing = GardenDrawing.draw(
      garden, at: context.now, in: context.zone, width: columns, height: max(20, columns / 3))
    parts = [DrawingText.text(drawing, style)]
    if meters.soil < .zero { parts.append(GardenWords.belowZero) }
    let growing = garden.growing
    if !growing.isEmpty {
      parts.append(
        "Growing (\(growing.count))\n"
          + GardenWords.table(growing, in: garden, context, style))
    }
    return parts.joined(separator: "\n\n")
  }
}

/// How many sprouts of each state a branch has.
struct BranchCounts {
  /// The branch, from 0.
  let branch: Int
  private(set) var drafts = 0
  private(set) var growing = 0
  private(set) var harvested = 0
  private(set) var uprooted = 0

  init(_ branch: Int, in garden: Garden) {
    self.branch = branch
    for sprout in garden.sprouts(onBranch: branch) {
      switch sprout.state {
      case .draft: drafts += 1
      case .active: growing += 1
      case .completed: harvested += 1
      case .failed: uprooted += 1
      }
    }
  }
}

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
    let style = Terminal.style
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
    parts.append(table.text(heading: style.quiet))
    return parts.joined(separator: "\n\n")
  }
}

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
    let style = Terminal.style
    var parts = [style.strong(GardenWords.name(.twig(twig), in: garden).asSentence)]
    if let note = garden.labels[.twig(twig)]?.note { parts.append(note.linesEscapedForTerminal) }
    let sprouts = garden.sprouts(on: twig)
    parts.append(
      sprouts.isEmpty
        ? "No sprouts yet. `trunk plant \"A goal\" --on \(twig.number)` plants one."
        : GardenWords.table(sprouts, in: garden, context, style))
    for leaf in garden.leaves where leaf.twig == twig {
      let members = sprouts.filter { $0.leaf == leaf.id }.map(GardenWords.title)
      let list = members.isEmpty ? "nothing yet" : members.joined(separator: ", ")
      parts.append("Leaf \(leaf.name.quotedForTerminal): \(list)")
    }
    return parts.joined(separator: "\n\n")
  }
}
