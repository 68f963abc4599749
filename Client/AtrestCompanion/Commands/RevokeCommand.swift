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
      let words = RevocationWords(
        device: device, family: family, program: Program.programName)
      let isForAll =
        switch scope {
        case .withDescendants: true
        case .only: false
        case nil: asks(about: family.companions(of: device), words, context)
        }
      let ended = try await replica.revoke(device.replica, withDescendants: isForAll)
      device.revoked = device.revoked ?? SystemClock().now()
      try format.answer(
        RevocationRow(device, ended), words.done(ended, isForAll: isForAll))
    }

    private func asks(
      about companions: [Device], _ words: RevocationWords, _ context: CommandContext
    ) -> Bool {
      guard !companions.isEmpty, Terminal.canAsk else { return false }
      Terminal.writeError(words.companions(companions, context))
      Keyboard.forget()
      return Terminal.asks(words.question(companions.count))
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
