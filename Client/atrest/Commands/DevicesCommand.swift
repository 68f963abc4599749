// SPDX-License-Identifier: Apache-2.0
// `atrest devices`: lists the account's devices, and ends the access of one.

import ArgumentParser
import AtrestClient
import AtrestDomain
import Foundation
import SyncProtocol

/// `atrest devices [list | revoke ID]`.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List your devices, and end the access of one.",
    subcommands: [List.self, Revoke.self], defaultSubcommand: List.self)

  /// `atrest devices list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the account's devices, oldest first.",
      discussion: """
        EXAMPLES:
          atrest devices
          atrest devices list --json
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let around = Surroundings.current()
      let devices = try await options.openPaired().devices()
      let ids = ShortID.shortened(devices.map { ShortID.hex($0.replica.rawValue) })
      try format.answer(
        devices.map(DeviceRow.init),
        DeviceWords.list(devices, ids: ids, around).text(Terminal.style))
    }
  }

  /// `atrest devices revoke`.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a device's access. What it wrote stays in the account.",
      discussion: """
        EXAMPLES:
          atrest devices revoke 9b1f
        """)

    @Argument(help: "The beginning of the device's id.") var id: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let replica = try options.openPaired()
      var device = try await ShortID.find(
        id, in: replica.devices(), noun: "device",
        id: { ShortID.hex($0.replica.rawValue) }, describe: { Foreign.text($0.name) })
      try await replica.revoke(device.replica)
      device.revoked = device.revoked ?? SystemClock().now()
      try format.answer(
        DeviceRow(device),
        "“\(Foreign.text(device.name))” can no longer sync. What it wrote stays in the account.")
    }
  }
}
