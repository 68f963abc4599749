// SPDX-License-Identifier: Apache-2.0
// The options that say which server a command is about.

import ArgumentParser
import AtrestCommandLine
import Foundation

/// The data directory and the configuration file, the same for every command.
struct DataOptions: ParsableArguments {
  /// Read before the options are parsed: see `CommandLineArguments`.
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "A file that holds settings; otherwise \(ConfigurationFile.standardPath), where it exists and --data is not given. Options win.",
      valueName: "file"))
  var configuration: String?

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
