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
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        guard account.utf8.count <= NameLimit.bytes else {
          throw CommandFailure("A name has 1 to \(NameLimit.bytes) bytes.", .usage)
        }
        let client = AdminClient(directory: data.path)
        let cells =
          account.isEmpty
          ? try await client.cells(cell) : [try await client.inCell(of: account, cell).cell]
        var entries: [ListDevicesResponse.Entry] = []
        for cell in cells {
          entries += try await client.inCell(cell).call(
            Method.Admin.listDevices, AccountRequest(name: account),
            as: ListDevicesResponse.self
          ).entries
        }
        let list = ListDevicesResponse(entries: entries)
        printLine(try format.isJSON ? Text.json(list) : Text.table(list))
      }
    }
  }
}
