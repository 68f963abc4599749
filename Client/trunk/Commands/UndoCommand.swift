// SPDX-License-Identifier: Apache-2.0
// `trunk undo`: takes back the last change of the garden on this device.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk undo`: takes back the last change of the garden on this device.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back what was done last in the garden on this device.",
    discussion: """
      Each part becomes what it was before. What another device changed since stays. Once more takes back what was done \
      before that, for up to 30 days. Fasts and water of the same replica are left alone: `atrest undo` takes those back.

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
    let nothing = CommandFailure("There is nothing to take back in the garden on this device.")
    guard let replica = try options.openExisting() else { throw nothing }
    guard let undone = try replica.transaction({ try $0.undo(.edit) }) else { throw nothing }
    let words = Trunk.recordWords
    func names(_ changes: [UndoneAction.Change]) -> [String] {
      changes.map { words.noun($0.after.key, $0.after, context) }
    }
    let (back, kept) = (
      undone.changes.filter { !$0.restored.isEmpty }, undone.changes.filter { $0.restored.isEmpty }
    )
    guard undone.isUndone else {
      throw CommandFailure(
        "That was changed again since, here or on another device, and stays as it is: "
          + names(kept).joined(separator: "; ") + ".")
    }
    try format.answer(
      Row(at: undone.at, undone: names(back), kept: names(kept)),
      "Taken back, from \(context.words(undone.at)): \(names(back).joined(separator: "; ")).")
  }
}
