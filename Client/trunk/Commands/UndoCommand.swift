// SPDX-License-Identifier: Apache-2.0
// `trunk undo`: takes back the last change of the garden on this device.

import ArgumentParser
import AtrestCompanion
import TrunkDomain
import TrunkVocabulary

/// `trunk undo`: takes back the last change of the garden on this device.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back what was done last in the garden on this device.",
    discussion: """
      An edit, an import of up to 100 records, or a value that `trunk conflicts restore` wrote back: each part becomes what it \
      was before. What another device changed since stays. Once more takes back what was done before that, for up to 30 \
      days. Fasts and water of the same replica are left alone: `atrest undo` takes those back.

      EXAMPLES:
        trunk undo
      """)

  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let at: WallTime
    let undone: [String]
    let kept: [String]
  }

  func run() throws {
    let context = CommandContext.current()
    guard let replica = try options.openExisting(),
      let undone = try replica.transaction({ try $0.undoInGarden() })
    else { throw GardenAnswers.nothingToUndo }
    let words = try GardenAnswers.undone(undone, context)
    func names(_ isBack: Bool) -> [String] {
      GardenAnswers.names(undone.changes.filter { $0.restored.isEmpty != isBack }, context)
    }
    try format.answer(Row(at: undone.at, undone: names(true), kept: names(false)), words)
  }
}

extension ReplicaTransaction {
  /// Takes back what was done last to records of the garden on this device, whatever it was.
  func undoInGarden() throws(ReplicaError) -> UndoneAction? {
    try undo(of: GardenVocabulary().kinds)
  }
}
