// SPDX-License-Identifier: Apache-2.0
// The account commands.

import ArgumentParser
import AtrestCommandLine
import AtrestProtocol
import AtrestServer
import AtrestWire
import Foundation

struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Make and remove accounts, and invite devices to them.",
    subcommands: [Add.self, Invite.self, List.self, Move.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Make an account and a pairing link for its first device.")

    @Argument(help: "The account's name: 1 to 64 bytes.") var name: String
    @Flag(name: .customLong("no-qr"), help: "Leave the QR code out.") var noQR = false
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        let invitation = try await AdminClient(directory: data.path).inCell(cell).call(
          Method.Admin.addAccount, try named(name), as: Invitation.self)
        try printInvitation(invitation, isJSON: format.isJSON, isPictured: !noQR)
      }
    }
  }

  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "invite", abstract: "Make a pairing link for a further device of an account.")

    @Argument(help: "The account's name.") var name: String
    @Flag(name: .customLong("no-qr"), help: "Leave the QR code out.") var noQR = false
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        let request = try named(name)
        let client = try await AdminClient(directory: data.path).inCell(of: name, cell)
        let invitation = try await client.call(
          Method.Admin.inviteDevice, request, as: Invitation.self)
        try printInvitation(invitation, isJSON: format.isJSON, isPictured: !noQR)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List all accounts.")

    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        let client = AdminClient(directory: data.path)
        var lists: [Text.InCell<ListAccountsResponse>] = []
        for cell in try await client.cells(cell) {
          let list = try await client.inCell(cell).call(
            Method.Admin.listAccounts, EmptyMessage(), as: ListAccountsResponse.self)
          lists.append(Text.InCell(cell: cell, answer: list))
        }
        printLine(try format.isJSON ? Text.json(lists) : Text.table(lists))
      }
    }
  }
}

extension AccountCommand {
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove an account, with everything the server holds of it.",
      discussion: """
        Its devices lose access at once, and keep what they hold. Backups that were made before keep it too, until you \
        delete them.
        """)

    @Argument(help: "The account's name.") var name: String
    @Flag(name: .customLong("yes"), help: "Do not ask.") var isSure = false
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await reported {
        let request = try named(name)
        let client = try await AdminClient(directory: data.path).inCell(of: name, cell)
        if !isSure { try await ask(client) }
        // Overwriting a large account's values takes a while.
        _ = try await client.call(
          Method.Admin.removeAccount, request, as: EmptyMessage.self, timeout: .seconds(3600))
        printLine("The account is gone, and everything this server held of it.")
      }
    }

    /// Has the operator type the name, to prevent accidents.
    private func ask(_ client: AdminClient) async throws {
      let list = try await client.call(
        Method.Admin.listAccounts, EmptyMessage(), as: ListAccountsResponse.self)
      guard let account = list.accounts.first(where: { $0.name == name }) else {
        throw CommandFailure("There is no account of this name.", .data)
      }
      printError(
        """
        This removes \(Text.contents(account)) from this server for good.
        Type the account's name to go on:\u{20}
        """)
      guard readLine() == name else {
        throw CommandFailure(
          "That was not its name, so nothing was removed. Scripts say --yes instead.", .data)
      }
    }
  }
}

extension AccountCommand {
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move", abstract: "Move an account to another cell; its devices stay paired.",
      discussion: """
        Its devices wait while it moves, and lose nothing; pairing codes end. Where the command was interrupted, the same one goes on, \
        and --cancel lets the account stay.

          atrest-syncd account move kim --to 2
        """)

    @Argument(help: "The account's name.") var name: String
    @Option(name: .customLong("to"), help: ArgumentHelp("Where to.", valueName: "cell"))
    var target: CellNumber
    @Flag(name: .customLong("cancel"), help: "Take back a move that was interrupted.")
    var isCancelled = false
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await reported {
        _ = try named(name)
        let client = try await client()
        let request = MoveAccountRequest(
          account: name, cell: UInt32(target.rawValue), isCancelled: isCancelled)
        let moved = try await client.call(
          Method.Admin.moveAccount, request, as: MoveAccountResponse.self, timeout: .seconds(3600))
        guard !isCancelled else { return printLine("The account stays where it is.") }
        printLine(
          "The account is in cell \(target): \(Text.counted(moved.devices, "device")) and "
            + "\(Text.counted(moved.records, "record")) were copied.")
      }
    }

    /// The client for the cell that the account leaves. After an interrupted move there may be none
    /// that shows it: then any other than the target may have begun it.
    private func client() async throws -> AdminClient {
      let client = AdminClient(directory: data.path)
      let others = try await client.cells(cell).filter { $0 != target }
      guard others.count != 1 else { return client.inCell(others[0]) }
      return try await client.inCell(of: name, cell)
    }
  }
}

private func named(_ name: String) throws -> AccountRequest {
  guard (1...NameLimit.bytes).contains(name.utf8.count) else {
    throw CommandFailure("A name has 1 to \(NameLimit.bytes) bytes.", .usage)
  }
  return AccountRequest(name: name)
}
