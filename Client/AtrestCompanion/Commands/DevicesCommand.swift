// SPDX-License-Identifier: Apache-2.0
// `devices`: lists, admits, renames and revokes devices.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestSync
import AtrestWire
import Foundation

/// `devices [list | waiting | allow ID | deny ID | rename ID NAME | revoke ID]`: the account's
/// devices and those that wait to join.
public struct DevicesCommand<Program: Companion>: AsyncParsableCommand {
  /// The command without a subcommand, which lists.
  public init() {}

  /// Its name, help and subcommands.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "devices",
      abstract: "List your devices, let one in, rename one, or end its access.",
      subcommands: [
        List.self, Waiting.self, Allow.self, Deny.self, Rename.self, Revoke.self,
      ], defaultSubcommand: List.self)
  }

  struct List: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "list",
        abstract: "List who waits to join, then the account's devices, oldest first.",
        discussion: """
          With `--json` only the devices are listed; `\(Program.programName) devices waiting` lists who waits.

          EXAMPLES:
            \(Program.programName) devices
            \(Program.programName) devices list --json
          """)
    }

    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let context = CommandContext.current()
      let replica = try options.openPaired()
      let devices = try await replica.devices()
      if format.isJSON { return Terminal.say(try JSON.text(devices.map(DeviceRow.init))) }
      let pendingDevices = try await PendingDeviceIDs.devices(replica)
      if !pendingDevices.isEmpty {
        let ids = PendingDeviceIDs.shortened(pendingDevices)
        Terminal.say(DeviceWords.waiting(pendingDevices, ids: ids, context).text(Terminal.style))
        Terminal.say(DeviceWords(program: Program.programName).howToDecide + "\n")
      }
      let ids = ShortID.shortened(devices.map { ShortID.hex($0.replica.rawValue) })
      let family = DeviceFamily(devices, events: await Self.newestEvents(replica))
      let list = DeviceWords.list(devices, ids: ids, family, context)
      Terminal.say(list.text(Terminal.style))
    }

    /// None from a server without a log of events: the list is worth showing without them.
    private static func newestEvents(_ replica: Replica) async -> [AccountEvent] {
      (try? await replica.events(size: Int(EventPage.limit)))?.events ?? []
    }
  }

  struct Waiting: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "waiting", abstract: "List who waits to join.",
        discussion: """
          EXAMPLES:
            \(Program.programName) devices waiting
            \(Program.programName) devices waiting --json
          """)
    }

    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let context = CommandContext.current()
      let pendingDevices = try await options.openPaired().pendingDevices()
      let ids = PendingDeviceIDs.shortened(pendingDevices)
      try format.answer(
        pendingDevices.map(PendingDeviceRow.init),
        pendingDevices.isEmpty
          ? DeviceWords.nobodyWaits
          : DeviceWords.waiting(pendingDevices, ids: ids, context).text(Terminal.style) + "\n"
            + DeviceWords(program: Program.programName).howToDecide)
    }
  }

  struct Allow: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "allow", abstract: "Let a device join that waits to.",
        discussion: """
          It can then read and change everything in your account. Let in only what you hold in \
          your own hand.

          EXAMPLES:
            \(Program.programName) devices allow 9b1f
          """)
    }

    @Argument(help: "The beginning of the id that `\(Program.programName) devices` shows.") var id:
      String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let replica = try options.openPaired()
      let pendingDevice = try await PendingDeviceIDs.find(id, replica)
      let name =
        try await PendingDeviceIDs.decide(
          pendingDevice, allow: true, replica, program: Program.programName) ?? pendingDevice.name
      try format.answer(
        DecisionRow(id: ShortID.hex(pendingDevice.handle), allowed: true, name: name),
        DeviceWords.letIn(name, asked: pendingDevice.name))
    }
  }

  struct Deny: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "deny", abstract: "Send a device away that waits to join.",
        discussion: """
          EXAMPLES:
            \(Program.programName) devices deny 9b1f
          """)
    }

    @Argument(help: "The beginning of the id that `\(Program.programName) devices` shows.") var id:
      String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let replica = try options.openPaired()
      let pendingDevice = try await PendingDeviceIDs.find(id, replica)
      _ = try await PendingDeviceIDs.decide(
        pendingDevice, allow: false, replica, program: Program.programName)
      try format.answer(
        DecisionRow(
          id: ShortID.hex(pendingDevice.handle), allowed: false, name: pendingDevice.name),
        DeviceWords.sentAway(pendingDevice.name))
    }
  }

  struct Rename: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "rename", abstract: "Give a device another name.",
        discussion: """
          EXAMPLES:
            \(Program.programName) devices rename 9b1f "old phone"
          """)
    }

    @Argument(help: "The beginning of the device's id.") var id: String
    @Argument(help: "What to call it from now on.") var name: String
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let name = try DeviceName.checked(name)
      let replica = try options.openPaired()
      var device = try await DeviceName.find(id, replica)
      device.name = try await replica.rename(device.replica, to: name)
      // Refreshes the names shown offline. A failure does not matter.
      _ = try? await replica.devices()
      try format.answer(DeviceRow(device), DeviceWords.renamed(device.name, asked: name))
    }
  }
}
