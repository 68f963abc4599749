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
  var directory: String = Self.standard ?? ""

  private static var standard: String? { DataHome.folder("atrest-syncd") }

  /// The directory without a trailing slash.
  var path: String {
    var path = directory
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  func validate() throws {
    guard directory.isEmpty else { return }
    throw ValidationError(
      Self.standard == nil
        ? "This user has no home folder. Say with --data which folder holds the server's data."
        : "--data names no folder.")
  }
}
