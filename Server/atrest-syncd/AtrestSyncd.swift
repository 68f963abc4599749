// SPDX-License-Identifier: Apache-2.0
// The commands of atrest-syncd.

import ArgumentParser
import AtrestCommandLine
import AtrestWire
import Foundation

@main
struct AtrestSyncd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atrest-syncd",
    abstract: "Keeps the records of a household's devices in sync.",
    discussion: """
      Start it with `atrest-syncd serve`, and make an account in a second terminal with
      `atrest-syncd account add NAME`. What that prints joins the first device.
      """,
    version: ProgramVersion.text,
    subcommands: [
      Serve.self, AccountCommand.self, DeviceCommand.self, Backup.self, Verify.self,
      RestoreCommand.self, StoreCommand.self, AuditCommand.self, LimitsCommand.self,
    ])

  static func main() async {
    TerminalWidth.widenHelp()
    await main(nil)
  }
}

/// The data directory option, the same for every command.
struct DataOptions: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: ArgumentHelp(
      "The folder that holds the server's data; otherwise $XDG_DATA_HOME/atrest-syncd, or "
        + "~/.local/share/atrest-syncd without that variable.", valueName: "dir"))
  var directory: String = Self.standard

  /// The default location according to the XDG Base Directory Specification.
  private static var standard: String {
    let environment = ProcessInfo.processInfo.environment
    if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") {
      return base + "/atrest-syncd"
    }
    return (environment["HOME"] ?? ".") + "/.local/share/atrest-syncd"
  }

  /// The directory without a trailing slash.
  var path: String {
    var path = directory
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  func validate() throws {
    guard !directory.isEmpty else { throw ValidationError("--data names no folder.") }
  }
}
