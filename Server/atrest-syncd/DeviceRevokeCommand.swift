// SPDX-License-Identifier: Apache-2.0
// Revokes a device, and offers to revoke its descendants.

import ArgumentParser
import AtrestCommandLine
import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

extension DeviceCommand {
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "End a device's access: its token stops working at once.",
      discussion: """
        What the device has already received stays on it. Those that it let in, and new identities that it took, keep their access \
        unless you say otherwise: you are asked, or scripts say --with-descendants or --only.
        """)

    /// What to do with descendants without asking.
    enum Scope: String, EnumerableFlag {
      case withDescendants, only

      static func help(for value: Scope) -> ArgumentHelp? {
        switch value {
        case .withDescendants: "End the access of all that came in through it, too; do not ask."
        case .only: "End the access of this device alone; do not ask."
        }
      }
    }

    @Argument(help: "The device's ID, at least its first 8 digits: see `device list`.") var id:
      String
    @Flag(exclusivity: .exclusive) var scope: Scope?
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await reported {
        guard (8...16).contains(id.utf8.count), let number = UInt64(id, radix: 16),
          !id.hasPrefix("+")
        else {
          throw CommandFailure(
            "A device's ID has 16 hexadecimal digits, of which the first 8 are enough. "
              + "`atrest-syncd device list` shows it.", .usage)
        }
        let client = AdminClient(directory: data.path)
        let cells = try await client.cells(cell)
        let device =
          id.utf8.count == 16
          ? ReplicaID(rawValue: number) : try await device(beginningWith: id, in: cells, client)
        var problem: CommandFailure?
        for cell in cells {
          do { return try await revoke(device, client.inCell(cell)) } catch let failure
            as CommandFailure
          {
            // Not there; the last cell says so.
            guard failure.status == .data else { throw failure }
            problem = failure
          }
        }
        if let problem { throw problem }
      }
    }

    /// - Throws: `CommandFailure` if there is none, or more than one.
    private func device(
      beginningWith digits: String, in cells: [CellNumber?], _ client: AdminClient
    ) async throws -> ReplicaID {
      var found: [ReplicaID] = []
      for cell in cells {
        let list: ListDevicesResponse
        do {
          list = try await client.inCell(cell).call(
            Method.Admin.listDevices, AccountRequest(name: ""), as: ListDevicesResponse.self)
        } catch let failure as CommandFailure {
          throw CommandFailure(
            "Not all devices can be listed (\(failure.sentence)). Give all 16 digits of the ID.",
            failure.status)
        }
        found += list.entries.map(\.device.replica).filter {
          ShortID.hex($0.rawValue).hasPrefix(digits.lowercased())
        }
      }
      guard let device = found.first else {
        throw CommandFailure("There is no device whose ID begins with \(digits).")
      }
      guard found.count == 1 else {
        throw CommandFailure(
          "\(found.count) devices have IDs that begin with \(digits). Give all 16 digits.", .usage)
      }
      return device
    }

    private func revoke(_ device: ReplicaID, _ client: AdminClient) async throws {
      let plan = try await plan(device, client)
      let isForAll = scope == .withDescendants || (scope == nil && asks(plan))
      let ended = try await client.call(
        Method.Admin.revokeDevice,
        DevicesRevokeRequest(replica: device, withDescendants: isForAll),
        as: DevicesRevokeResponse.self)
      let commands = RevocationPlan.Commands(
        withCompanions: "atrest-syncd device revoke \(id) --with-descendants --data \(data.path)",
        list: "atrest-syncd device list --data \(data.path)")
      for line in plan.outcome(of: ended, isForAll: isForAll, commands: commands) {
        printLine(line)
      }
    }

    /// Among the devices of its account. A server may have too many for one list. Then descendants
    /// are unknown, but the device is still revoked.
    private func plan(_ device: ReplicaID, _ client: AdminClient) async throws -> RevocationPlan {
      var entries: [ListDevicesResponse.Entry] = []
      do {
        entries = try await client.call(
          Method.Admin.listDevices, AccountRequest(name: ""), as: ListDevicesResponse.self
        ).entries
      } catch let failure as CommandFailure {
        guard failure.status == .temporary else { throw failure }
      }
      guard let found = entries.first(where: { $0.device.replica == device }) else {
        let unlisted = Device(replica: device, name: id, paired: .epoch)
        return RevocationPlan(revoking: unlisted, in: DeviceFamily([unlisted]))
      }
      let family = entries.filter { $0.account == found.account }.map(\.device)
      return RevocationPlan(revoking: found.device, in: DeviceFamily(family))
    }

    private func asks(_ plan: RevocationPlan) -> Bool {
      guard !plan.companions.isEmpty, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
        return false
      }
      printError(
        """
        \(plan.introduction)

        \(Text.table(plan.companions, of: plan.family))

        \(plan.question) [y/N]\u{20}
        """)
      let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
      return answer == "y" || answer == "yes"
    }
  }
}
