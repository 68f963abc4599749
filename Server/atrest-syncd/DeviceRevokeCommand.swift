// SPDX-License-Identifier: Apache-2.0
// Revokes a device, and offers to revoke its descendants.

import ArgumentParser
import AtrestCommandLine
import AtrestDomain
import AtrestProtocol
import AtrestReplication
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

    @Argument(help: "The device's ID, 16 hexadecimal digits: see `device list`.") var id: String
    @Flag(exclusivity: .exclusive) var scope: Scope?
    @OptionGroup var cell: CellOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await reported {
        guard id.utf8.count == 16, let number = UInt64(id, radix: 16), !id.hasPrefix("+") else {
          throw CommandFailure(
            "A device's ID has 16 hexadecimal digits. `atrest-syncd device list` shows it.", .usage)
        }
        let device = ReplicaID(rawValue: number)
        let client = AdminClient(directory: data.path)
        var problem: CommandFailure?
        for cell in try await client.cells(cell) {
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

    private func revoke(_ device: ReplicaID, _ client: AdminClient) async throws {
      let entries = try await entries(client)
      let isForAll = scope == .withDescendants || (scope == nil && asks(about: device, entries))
      let ended = try await client.call(
        Method.Admin.revokeDevice,
        DevicesRevokeRequest(replica: device, withDescendants: isForAll),
        as: DevicesRevokeResponse.self)
      printLine("The device has no access any more.")
      tell(ended, of: device, among: entries)
    }

    /// All devices, to show and name descendants. A server may have too many for one list. Then
    /// descendants are unknown, but the device is still revoked.
    private func entries(
      _ client: AdminClient
    ) async throws -> [ListDevicesResponse.Entry] {
      do {
        return try await client.call(
          Method.Admin.listDevices, AccountRequest(name: ""), as: ListDevicesResponse.self
        ).entries
      } catch let failure as CommandFailure {
        guard failure.status == .temporary else { throw failure }
        return []
      }
    }

    private func asks(
      about device: ReplicaID, _ entries: [ListDevicesResponse.Entry]
    ) -> Bool {
      let descendants = Lineage(entries.lazy.map { ($0.device.replica, $0.device.origin) })
        .descendants(of: device)
      let companions = entries.filter {
        $0.device.revoked == nil && descendants.contains($0.device.replica)
      }
      guard !companions.isEmpty, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
        return false
      }
      printError(
        """
        These came in through it and have access:

        \(Text.table(companions, among: entries))

        End their access, too? [y/N]\u{20}
        """)
      let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
      return answer == "y" || answer == "yes"
    }

    /// Reports which devices were revoked and which still have access.
    private func tell(
      _ ended: DevicesRevokeResponse, of device: ReplicaID,
      among entries: [ListDevicesResponse.Entry]
    ) {
      func names(_ devices: [ReplicaID]) -> String {
        Text.names(devices, among: entries)
      }
      let others = ended.revoked.filter { $0 != device }
      if !others.isEmpty {
        let has = others.count == 1 ? "has" : "have"
        printLine("Nor \(has) \(names(others)), which came in through it.")
      }
      if !ended.remaining.isEmpty {
        let has = ended.remaining.count == 1 ? "has" : "have"
        printLine(
          "\(names(ended.remaining)) came in through it and still \(has) access. To end that, too: "
            + "atrest-syncd device revoke \(id) --with-descendants --data \(data.path)")
      }
    }
  }
}
