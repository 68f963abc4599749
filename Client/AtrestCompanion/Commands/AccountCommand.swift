// SPDX-License-Identifier: Apache-2.0
// `account`: shows, logs, exports and deletes the account on the server.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// `account [show | log | export FILE | delete]`: the account on its server.
public struct AccountCommand<Program: Companion>: AsyncParsableCommand {
  /// The command without a subcommand, which shows the account.
  public init() {}

  /// Its name, help and subcommands.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "account", abstract: "See, write down or remove your account on the server.",
      subcommands: [Show.self, Log.self, Export.self, Delete.self], defaultSubcommand: Show.self)
  }

  struct Show: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "show", abstract: "Show what the account holds, and how much room it has.",
        discussion: """
          EXAMPLES:
            \(Program.programName) account
            \(Program.programName) account show --json
          """)
    }

    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let context = CommandContext.current()
      let account = try await options.openPaired().account()
      try format.answer(AccountRow(account), AccountWords.show(account, context))
    }
  }

  struct Log: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "log",
        abstract: "List what happened to the account: who joined, who let whom in, what ended.",
        discussion: """
          The server writes this down and never changes it. It names devices, and no record.

          EXAMPLES:
            \(Program.programName) account log
            \(Program.programName) account log --limit 500 --json
          """)
    }

    @Option(help: ArgumentHelp("How many at most, newest first.", valueName: "count"))
    var limit = 50
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func validate() throws {
      guard (1...1_000_000).contains(limit) else {
        throw ValidationError("`--limit` needs a number from 1 to 1000000.")
      }
    }

    func run() async throws {
      let context = CommandContext.current()
      let replica = try options.openPaired()
      let names = Dictionary(
        try await replica.devices().map { ($0.replica, $0.name) }
      ) { first, _ in first }
      var events: [AccountEvent] = []
      var nextPage: String?
      repeat {
        let page = try await replica.events(
          size: min(limit - events.count, Int(EventPage.limit)), page: nextPage)
        events += page.events
        nextPage = page.events.isEmpty ? nil : page.nextPage
      } while nextPage != nil && events.count < limit
      let devices = DeviceNames(own: try replica.status().replica, names: names)
      let text = EventWords.list(events, devices, context).text(Terminal.style)
      try format.answer(
        events.map { EventRow($0, names) },
        events.isEmpty
          ? Language.text("Nothing has happened yet.", de: "Noch ist nichts geschehen.")
          : text + (nextPage != nil ? "\n" + AccountWords.older : ""))
    }
  }

  struct Export: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "export",
        abstract: "Write down everything that the server holds of the account.",
        discussion: """
          One JSON document: the account, its devices, what happened to it, and every record with \
          the stamps of its fields, deleted ones and those of newer versions included. What waits \
          here is sent first. The file is for your eyes only, and appears when it is complete.

          EXAMPLES:
            \(Program.programName) account export \(Program.programName).json
            \(Program.programName) account export - | gzip > \(Program.programName).json.gz
          """)
    }

    @Argument(help: "Where nothing is yet; `-` for standard output.") var file: String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func validate() throws {
      guard !(format.isJSON && file == "-") else {
        throw ValidationError("With '-' standard output is the document: leave '--json' out.")
      }
    }

    func run() async throws {
      let replica = try options.openPaired()
      let document = Confined(
        try ExportDocument(
          ExportFile(file == "-" ? nil : file), name: file, own: try replica.status().replica,
          now: CommandContext.current().now, Program.recordWords))
      defer { Terminal.progress("") }
      try await replica.readAccount { part in
        try document.use { document in
          try document.add(part)
          if document.row.records > 0 {
            Terminal.progress(AccountWords.soFar(records: document.row.records))
          }
        }
      }
      let row = try document.use { document in
        try document.finish()
        return document.row
      }
      Terminal.progress("")
      if file == "-" { return }
      try format.answer(row, AccountWords.exported(row, contents: Program.contents))
    }
  }

  struct Delete: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "delete",
        abstract: "Remove the account from its server, for all of its devices.",
        discussion: """
          Asks for the account's name first. What is on your devices stays on them.

          EXAMPLES:
            \(Program.programName) account delete
            \(Program.programName) account delete --yes --name home
          """)
    }

    @Flag(help: "Ask nothing; `--name` says which account is meant.") var yes = false
    @Option(help: "The account's name, exactly.") var name: String?
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    /// The answer for `--json`.
    struct Row: Encodable {
      var account: String
      var deleted: Bool
    }

    func validate() throws {
      guard yes == (name != nil) else {
        throw ValidationError(
          "'--yes' and '--name' go together: without them the name is asked for.")
      }
    }

    func run() async throws {
      let replica = try options.openPaired()
      let account = try await replica.account()
      guard try name ?? typed(account) == account.name else {
        throw CommandFailure(AccountWords.wrongName)
      }
      do {
        try await replica.deleteAccount(named: account.name)
      } catch {
        guard case .unreachable(let reason) = error.reason else { throw error }
        throw CommandFailure(AccountWords.unknown(reason), .unavailable)
      }
      try format.answer(
        Row(account: account.name, deleted: true), words.deleted(account.name))
    }

    private var words: AccountWords { AccountWords(program: Program.programName) }

    /// Asks for the account's name and returns what was typed.
    private func typed(_ account: Account) throws -> String {
      Terminal.writeError(words.beforeDeleting(account))
      Terminal.ask(
        Language.text(
          "Type the account's name to go on:", de: "Tippe den Namen des Kontos, um fortzufahren:"))
      let line = Keyboard.line()
      if !Keyboard.isThere { Terminal.writeError("") }
      return line ?? ""
    }
  }
}

/// Makes a non-`Sendable` value usable from one closure at a time.
private final class Confined<Value>: @unchecked Sendable {
  private let value: Value
  private let lock = NSLock()

  // `@unchecked`: the lock admits one thread at a time.
  init(_ value: sending Value) { self.value = value }

  func use<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(value) }
  }
}
