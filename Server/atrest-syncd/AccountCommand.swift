// SPDX-License-Identifier: Apache-2.0
// Commands about accounts.

import ArgumentParser
import Foundation
import SyncProtocol

struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Make accounts, and invite devices to them.",
    subcommands: [Add.self, Invite.self, List.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an account and a pairing link for its first device.")

    @Argument(help: "The account's name: 1 to 64 bytes.") var name: String
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        let invitation = try await AdminClient(directory: data.path).call(
          Method.Admin.addAccount, try named(name), as: Invitation.self)
        try printInvitation(invitation, isJSON: format.isJSON)
      }
    }
  }

  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a pairing link for a further device of an account.")

    @Argument(help: "The account's name.") var name: String
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        let invitation = try await AdminClient(directory: data.path).call(
          Method.Admin.inviteDevice, try named(name), as: Invitation.self)
        try printInvitation(invitation, isJSON: format.isJSON)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List all accounts.")

    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        let answer = try await AdminClient(directory: data.path).call(
          Method.Admin.listAccounts, EmptyMessage(), as: ListAccountsResponse.self)
        printLine(try format.isJSON ? Text.json(answer) : Text.table(answer))
      }
    }
  }
}

/// A request that names an account.
private func named(_ name: String) throws -> AccountRequest {
  guard (1...NameLimit.bytes).contains(name.utf8.count) else {
    throw Failure("A name has 1 to \(NameLimit.bytes) bytes.", .usage)
  }
  return AccountRequest(name: name)
}
