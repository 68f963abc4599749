// SPDX-License-Identifier: Apache-2.0
// Commands about devices.

import ArgumentParser
import Foundation
import Replication
import SyncProtocol

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "See which devices have access, and end it.",
    subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List devices.")

    @Option(help: "Only those of this account.") var account: String = ""
    @OptionGroup var data: DataOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      try await reported {
        guard account.utf8.count <= NameLimit.bytes else {
          throw Failure("A name has 1 to \(NameLimit.bytes) bytes.", .usage)
        }
        let answer = try await AdminClient(directory: data.path).call(
          Method.Admin.listDevices, AccountRequest(name: account),
          as: ListAccountDevicesResponse.self)
        printLine(try format.isJSON ? Text.json(answer) : Text.table(answer))
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a device's access: its token stops working at once.",
      discussion: "What the device has already received stays on it.")

    @Argument(help: "The device's ID, 16 hexadecimal digits: see `device list`.") var id: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await reported {
        guard id.utf8.count == 16, let number = UInt64(id, radix: 16), !id.hasPrefix("+") else {
          throw Failure(
            "A device's ID has 16 hexadecimal digits. `atrest-syncd device list` shows it.", .usage)
        }
        _ = try await AdminClient(directory: data.path).call(
          Method.Admin.revokeDevice, RevokeDeviceRequest(replica: ReplicaID(rawValue: number)),
          as: EmptyMessage.self)
        printLine("The device has no access any more.")
      }
    }
  }
}
