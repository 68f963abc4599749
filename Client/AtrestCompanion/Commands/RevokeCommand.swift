// SPDX-License-Identifier: Apache-2.0
// `devices revoke`: revokes a device and, on confirmation, its descendants.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestWire
import Foundation

extension DevicesCommand {
  struct Revoke: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "revoke",
        abstract: "End a device's access. What it wrote stays in the account.",
        discussion: """
          Whoever held the device could let others in, or have it renew itself. If any of those \
          have access, they are shown, and you are asked whether they go, too. Where nobody can be \
          asked, only the device goes, and the others are named. This device is never among them.

          EXAMPLES:
            \(Program.programName) devices revoke 9b1f
            \(Program.programName) devices revoke 9b1f --with-descendants
          """)
    }

    @Argument(help: "The beginning of the device's id.") var id: String
    @Flag(exclusivity: .exclusive) var scope: RevocationScope?
    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let context = CommandContext.current()
      let replica = try options.openPaired()
      let family = DeviceFamily(try await replica.devices())
      var device = try DeviceName.find(id, in: family.devices)
      let plan = RevocationPlan(revoking: device, in: family)
      let isForAll =
        switch scope {
        case .withDescendants: true
        case .only: false
        case nil: asks(plan, context)
        }
      let ended = try await replica.revoke(device.replica, withDescendants: isForAll)
      device.revoked = device.revoked ?? SystemClock().now()
      let outcome = plan.outcome(
        of: ended, isForAll: isForAll, commands: plan.commands(of: Program.programName))
      try format.answer(RevocationRow(device, ended), outcome.joined(separator: "\n"))
    }

    private func asks(_ plan: RevocationPlan, _ context: CommandContext) -> Bool {
      guard !plan.companions.isEmpty, Terminal.canAsk else { return false }
      Terminal.writeError(plan.companionTable(context))
      Keyboard.forget()
      return Terminal.asks(plan.question)
    }
  }
}

/// What to do about descendants without asking.
enum RevocationScope: String, EnumerableFlag {
  case withDescendants, only

  static func help(for value: RevocationScope) -> ArgumentHelp? {
    switch value {
    case .withDescendants:
      ArgumentHelp("End the access of all that came in through it, too; ask nothing.")
    case .only: ArgumentHelp("End the access of this device alone; ask nothing.")
    }
  }
}

extension RevocationPlan {
  /// The commands of a program that is called so.
  func commands(of program: String) -> Commands {
    let list = "\(program) devices"
    let id = ShortID.hex(device.replica.rawValue)
    return Commands(withCompanions: "\(list) revoke \(id) --with-descendants", list: list)
  }
}
