// SPDX-License-Identifier: Apache-2.0
// The code of the page about AtrestCompanion: a program for the books of `OwnKind`.

import ArgumentParser
import AtrestCompanion

// snippet: program
struct Shelf: ParsableCommand, Companion {
  static let programName = "shelf"
  static let configuration = CommandConfiguration(
    commandName: programName, abstract: "What you read, on all of your devices.",
    subcommands: [AddCommand.self, SyncCommand<Shelf>.self])

  @OptionGroup var options: ReplicaOptions<Shelf>
}
// snippet: end

// snippet: command
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Note a book.")

  @Argument(help: "Its title.") var title: String
  @OptionGroup var options: ReplicaOptions<Shelf>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    var title: String
    var page: Int64
  }

  func run() async throws {
    let book = Book(title: title)
    try await options.open().save(book)
    try format.answer(
      Row(title: book.title, page: book.page), "Noted \(title.quotedForTerminal).")
  }
}
// snippet: end
