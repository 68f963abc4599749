// SPDX-License-Identifier: Apache-2.0
// The code of the page about AtrestCompanion: a program for the books of `OwnKind`.

import ArgumentParser
import AtrestCompanion

// snippet: program
struct Shelf: ParsableCommand, Companion {
  static let programName = "shelf"
  static let vocabularies: [any KindVocabulary] = [BookVocabulary(), AtrestVocabulary()]
  static let configuration = CommandConfiguration(
    commandName: programName, abstract: "What you read, on all of your devices.",
    subcommands: [
      AddCommand.self, PairCommand<Shelf>.self, UnpairCommand<Shelf>.self,
      InviteCommand<Shelf>.self, DevicesCommand<Shelf>.self, SyncCommand<Shelf>.self,
      ConflictsCommand<Shelf>.self, AccountCommand<Shelf>.self, DoctorCommand<Shelf>.self,
      ReplicaCommand<Shelf>.self, CompletionsCommand<Shelf>.self,
    ])

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

// snippet: vocabulary
struct BookVocabulary: KindVocabulary {
  let kinds: Set = [Book.kind]

  func name(of kind: RecordKind) -> String { "book" }
  func noun(for kind: RecordKind) -> String { "a book" }

  func name(of field: FieldNumber, in kind: RecordKind) -> String? {
    switch field {
    case 2: "title"
    case 3: "page"
    default: nil
    }
  }

  func detail(of record: Record, _ context: CommandContext) -> String? {
    RecordFields(record)[text: 2]?.quotedForTerminal
  }

  func text(of register: Register, in kind: RecordKind, _ context: CommandContext) -> String? {
    let fields = RecordFields(register)
    return fields[text: 2]?.quotedForTerminal ?? fields[integer: 3].map { "page \($0)" }
  }

  func object(of register: Register, in kind: RecordKind) -> (any Encodable)? {
    let fields = RecordFields(register)
    if let title = fields[text: 2] { return ["title": title] }
    return fields[integer: 3].map { ["page": $0] }
  }
}
// snippet: end
