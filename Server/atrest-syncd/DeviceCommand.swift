// SPDX-License-Identifier: Apache-2.0
// The device commands.

import ArgumentParser
import AtrestCommandLine
import AtrestProtocol
import AtrestReplication
import AtrestWire
import Foundation

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "See which devices have access, and end it.",
    subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List devices.")

    @Option(help: "Only those of this account.") var account: String = ""
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        guard account.utf8.count <= NameLimit.bytes else {
          throw CommandFailure("A name has 1 to \(NameLimit.bytes) bytes.", .usage)
        }
        let answer = try await AdminClient(directory: data.path).call(
          Method.Admin.listDevices, AccountRequest(name: account),
          as: ListAccountDevicesResponse.self)
        printLine(try format.isJSON ? Text.json(answer) : Text.table(answer))
      }
    }
  }
}
