// SPDX-License-Identifier: Apache-2.0
// The commands of atrest-syncd.

import ArgumentParser
import AtrestCommandLine

@main
struct AtrestSyncd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atrest-syncd",
    abstract: "Keeps the records of a household's devices in sync.",
    discussion: """
      Start it with `atrest-syncd serve`, and make an account in a second terminal with
      `atrest-syncd account add NAME`. What that prints joins the first device.
      """,
    version: BuildVersion.text,
    subcommands: [
      Serve.self, AccountCommand.self, DeviceCommand.self, Backup.self, Verify.self,
      RestoreCommand.self, StoreCommand.self, AuditCommand.self, StatusCommand.self,
      HealthCommand.self, ConfigCommand.self, LimitsCommand.self,
    ])

  static func main() async {
    TerminalWidth.widenHelp()
    do {
      let completed = try CommandLineArguments.completed(try ProgramArguments.typed())
      do {
        var command = try parseAsRoot(completed)
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      } catch {
        endProgram(by: error)
      }
    } catch {
      let failure = error as? CommandFailure
      printError((failure?.sentence ?? message(for: error)) + "\n")
      endProcess(failure?.status ?? .software)
    }
  }
}
