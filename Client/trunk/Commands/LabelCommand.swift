// SPDX-License-Identifier: Apache-2.0
// `trunk label`: what a part of the tree is called.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk label`: what a part of the tree is called.
struct LabelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "label", abstract: "Name the trunk, a branch or a twig, or note something on it.",
    discussion: """
      EXAMPLES:
        trunk label 3 Mind
        trunk label 3.5 Reading --note "Paper only"
        trunk label 3.5 ""
      """)

  @Argument(help: "trunk, a branch such as 3, or a twig such as 3.5.") var node: String
  @Argument(help: "The name; empty for none.") var label: String?
  @Option(help: ArgumentHelp("A note; empty for none.", valueName: "text")) var note: String?
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let node: String
    let label: String?
    let note: String?
  }

  func validate() throws {
    if label == nil, note == nil {
      throw ValidationError("Say the name, or a note with `--note`.")
    }
  }

  func run() throws {
    let id = try TypedGarden.node(node)
    let newLabel = try label.map { try GardenRules.label($0) }
    let newNote = try note.map { try GardenRules.note($0) }
    // No name and no note need no garden.
    let isEmpty = newLabel.flatMap { $0 } == nil && newNote.flatMap { $0 } == nil
    let (changed, garden) = try options.change(creates: !isEmpty) { garden, store in
      let before = garden.labels[id] ?? NodeLabel(id: id)
      var changed = before
      if let newLabel { changed.label = newLabel }
      if let newNote { changed.note = newNote }
      try store.save(changed, editedFrom: before)
      return (changed, try store.garden())
    }
    let name = GardenAnswers.labelled(id, in: garden)
    try format.answer(
      Row(node: id.id, label: changed.label, note: changed.note),
      [name, changed.note?.linesEscapedForTerminal].compactMap { $0 }.joined(separator: "\n"))
  }
}
