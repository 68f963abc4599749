// SPDX-License-Identifier: Apache-2.0
// `atrest devices`: lists, admits, renames and revokes devices.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestSync
import AtrestWire
import Foundation

/// `atrest devices [list | waiting | allow ID | deny ID | rename ID NAME | revoke ID]`. `revoke` is
/// in RevokeCommand.swift.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List your devices, let one in, rename one, or end its access.",
    subcommands: [
      List.self, Waiting.self, Allow.self, Deny.self, Rename.self, Revoke.self,
    ], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List who waits to join, then the account's devices, oldest first.",
      discussion: """
        With `--json` only the devices are listed; `atrest devices waiting` lists who waits.

        EXAMPLES:
          atrest devices
          atrest devices list --json
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let context = CommandContext.current()
      let replica = try options.openPaired()
      let devices = try await replica.devices()
      if format.isJSON { return Terminal.say(try JSON.text(devices.map(DeviceRow.init))) }
      let pendingDevices = try await pendingDevices(replica)
      if !pendingDevices.isEmpty {
        let ids = PendingDeviceIDs.shortened(pendingDevices)
        Terminal.say(DeviceWords.waiting(pendingDevices, ids: ids, context).text(Terminal.style))
        Terminal.say(DeviceWords.howToDecide + "\n")
      }
      let ids = ShortID.shortened(devices.map { ShortID.hex($0.replica.rawValue) })
      let list = DeviceWords.list(devices, ids: ids, DeviceFamily(devices), context)
      Terminal.say(list.text(Terminal.style))
    }

    /// Empty if the server is too old to know pending devices.
    private func pendingDevices(_ replica: Replica) async throws(SyncError) -> [PendingDevice] {
      do {
        return try await replica.pendingDevices()
      } catch {
        if error.code == .refused { return [] }
        throw error
      }
    }
  }

  struct Waiting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "waiting", abstract: "List who waits to join.",
      discussion: """
        EXAMPLES:
          atrest devices waiting
          atrest devices waiting --json
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let context = CommandContext.current()
      let pendingDevices = try await options.openPaired().pendingDevices()
      let ids = PendingDeviceIDs.shortened(pendingDevices)
      try format.answer(
        pendingDevices.map(PendingDeviceRow.init),
        pendingDevices.isEmpty
          ? "Nobody waits to join."
          : DeviceWords.waiting(pendingDevices, ids: ids, context).text(Terminal.style) + "\n"
            + DeviceWords.howToDecide)
    }
  }

  struct Allow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "allow", abstract: "Let a device join that waits to.",
      discussion: """
        It can then read and change everything in your account. Let in only what you hold in \
        your own hand.

        EXAMPLES:
          atrest devices allow 9b1f
        """)

    @Argument(help: "The beginning of the id that `atrest devices` shows.") var id: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let replica = try options.openPaired()
      let pendingDevice = try await PendingDeviceIDs.find(id, replica)
      let name =
        try await PendingDeviceIDs.decide(pendingDevice, allow: true, replica) ?? pendingDevice.name
      try format.answer(
        DecisionRow(id: ShortID.hex(pendingDevice.handle), allowed: true, name: name),
        DeviceWords.letIn(name, asked: pendingDevice.name))
    }
  }

  struct Deny: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "deny", abstract: "Send a device away that waits to join.",
      discussion: """
        EXAMPLES:
          atrest devices deny 9b1f
        """)

    @Argument(help: "The beginning of the id that `atrest devices` shows.") var id: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let replica = try options.openPaired()
      let pendingDevice = try await PendingDeviceIDs.find(id, replica)
      _ = try await PendingDeviceIDs.decide(pendingDevice, allow: false, replica)
      try format.answer(
        DecisionRow(
          id: ShortID.hex(pendingDevice.handle), allowed: false, name: pendingDevice.name),
        DeviceWords.sentAway(pendingDevice.name))
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename", abstract: "Give a device another name.",
      discussion: """
        EXAMPLES:
          atrest devices rename 9b1f "old phone"
        """)

    @Argument(help: "The beginning of the device's id.") var id: String
    @Argument(help: "What to call it from now on.") var name: String
    @OptionGroup var options: ReplicaOptions
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

/// Finds pending devices by id and resolves them.
private enum PendingDeviceIDs {
  static func shortened(_ pendingDevices: [PendingDevice]) -> [String: String] {
    ShortID.shortened(pendingDevices.map { ShortID.hex($0.handle) })
  }

  static func find(_ typed: String, _ replica: Replica) async throws -> PendingDevice {
    try await ShortID.find(
      typed, in: replica.pendingDevices(), noun: "waiting device", id: { ShortID.hex($0.handle) },
      describe: { $0.name.escapedForTerminal })
  }

  /// - Returns: The device's name if it was admitted.
  static func decide(
    _ pendingDevice: PendingDevice, allow: Bool, _ replica: Replica
  ) async throws -> String? {
    do {
      return try await replica.decide(pendingDevice.handle, allow: allow)
    } catch SyncError.Code.notFound {
      throw CommandFailure(
        DeviceWords.gone(pendingDevice.name) + " `atrest devices` shows who is in, and who waits.")
    }
  }
}

/// Finds devices by typed id and checks typed names.
enum DeviceName {
  /// Finds the device with an id prefix.
  static func find(_ typed: String, _ replica: Replica) async throws -> Device {
    try find(typed, in: await replica.devices())
  }

  static func find(_ typed: String, in devices: [Device]) throws(IDProblem) -> Device {
    try ShortID.find(
      typed, in: devices, noun: "device", id: { ShortID.hex($0.replica.rawValue) },
      describe: { $0.name.escapedForTerminal })
  }

  /// What a device can be called.
  static func checked(_ typed: String) throws(CommandFailure) -> String {
    let name = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard (1...NameLimit.bytes).contains(name.utf8.count), name == name.escapedForTerminal else {
      throw CommandFailure(
        "A device's name has 1 to \(NameLimit.bytes) bytes of plain text. Choose another one.",
        .usage)
    }
    return name
  }
}
