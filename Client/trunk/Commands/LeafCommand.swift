// SPDX-License-Identifier: Apache-2.0
// `trunk leaf`: sagas.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk leaf add|list|rename|delete`.
struct LeafCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leaf", abstract: "Leaves: sprouts of a twig that belong together.",
    discussion: """
      EXAMPLES:
        trunk leaf add "Long books" --on 3.5
        trunk edit middlemarch --leaf "Long books"
        trunk leaf list
      """, subcommands: [Add.self, List.self, Rename.self, Delete.self],
    defaultSubcommand: List.self)

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Begin a leaf on a twig.",
      discussion: """
        EXAMPLES:
          trunk leaf add "Long books" --on 3.5
        """)

    @Argument(help: "Its name.") var name: String
    @Option(help: ArgumentHelp("The twig, such as 3.5.", valueName: "twig")) var on: String
    @OptionGroup var options: ReplicaOptions<Trunk>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let leaf = Leaf(
        id: RecordUUID.random(), name: try GardenRules.leafName(name),
        twig: try TypedGarden.twig(on), created: context.now)
      let garden = try options.change { _, store in
        try store.save(leaf)
        return try store.garden()
      }
      try format.answer(
        LeafRow(leaf, in: garden),
        "Leaf \(leaf.name.quotedForTerminal) is on \(GardenWords.name(.twig(leaf.twig), in: garden))."
      )
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "All leaves.",
      discussion: """
        EXAMPLES:
          trunk leaf list
        """)

    @OptionGroup var options: ReplicaOptions<Trunk>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let garden = try options.garden()
      let short = ShortID.shortened(garden.leaves.map { ShortID.hex($0.id) })
      var table = Table("ID", "TWIG", "NAME", "SPROUTS")
      for leaf in garden.leaves {
        let sprouts = garden.sprouts(of: leaf).map(\.title)
        table.add(
          short[ShortID.hex(leaf.id)] ?? "", leaf.twig.number, leaf.name,
          sprouts.joined(separator: "; "))
      }
      try format.answer(
        garden.leaves.map { LeafRow($0, in: garden) },
        garden.leaves.isEmpty
          ? "There are no leaves yet. `trunk leaf add \"A name\" --on 3.5` begins one."
          : table.text(heading: Terminal.style.quiet, width: Terminal.readColumns))
    }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename", abstract: "Give a leaf another name.",
      discussion: """
        EXAMPLES:
          trunk leaf rename "Long books" "Longer books"
        """)

    @Argument(help: "The leaf: the beginning of its id, or words of its name.") var leaf: String
    @Argument(help: "The new name.") var name: String
    @OptionGroup var options: ReplicaOptions<Trunk>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let name = try GardenRules.leafName(name)
      let (renamed, garden) = try options.change(creates: false) { garden, store in
        let found = try TypedGarden.leaf(leaf, in: garden.leaves)
        var renamed = found
        renamed.name = name
        try store.save(renamed, editedFrom: found)
        return (renamed, try store.garden())
      }
      try format.answer(
        LeafRow(renamed, in: garden), "The leaf is called \(name.quotedForTerminal) now.")
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Take a leaf away. Its sprouts stay.",
      discussion: """
        EXAMPLES:
          trunk leaf delete "Long books"
        """)

    @Argument(help: "The leaf: the beginning of its id, or words of its name.") var leaf: String
    @OptionGroup var options: ReplicaOptions<Trunk>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let (deleted, garden) = try options.change(creates: false) { garden, store in
        let found = try TypedGarden.leaf(leaf, in: garden.leaves)
        try store.delete(found.key)
        return (found, try store.garden())
      }
      try format.answer(
        LeafRow(deleted, in: garden),
        "Deleted the leaf \(deleted.name.quotedForTerminal). Its sprouts stay.")
    }
  }
}
