// SPDX-License-Identifier: Apache-2.0
// `atrest undo`: undoes the last action on this device.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// `atrest undo`.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back what was done last on this device.",
    discussion: """
      A fast begun, ended or let go, water noted, something corrected, deleted, set, written back or imported (up to 100 entries): \
      each becomes what it was before. What \
      another device changed since stays. Once more takes back what was done before that, for up to 30 days.

      EXAMPLES:
        atrest undo
      """)

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    try Self.undo(nil, options, format)
  }

  /// Undoes the last action, or the last one of a kind.
  static func undo(
    _ kind: UserAction?, _ options: ReplicaOptions, _ format: FormatOptions
  ) throws {
    let context = CommandContext.current()
    guard let replica = try options.openExisting() else { throw UndoWords.nothing(kind) }
    let (undone, choices) = try replica.transaction { store in
      (try store.undo(kind), try Choices(store))
    }
    guard let undone else { throw UndoWords.nothing(kind) }
    let person = context.following(choices)
    guard undone.isUndone else {
      throw CommandFailure("\(UndoWords.kept(undone)) \(UndoWords.next(undone))")
    }
    try format.answer(UndoRow(undone), UndoWords.text(undone, person))
  }
}
