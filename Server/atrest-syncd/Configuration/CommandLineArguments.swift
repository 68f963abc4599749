// SPDX-License-Identifier: Apache-2.0
// Joins the command line with the configuration file.

import ArgumentParser
import AtrestCommandLine
import Glibc

/// The command line of this process, completed by the settings of a file.
enum CommandLineArguments {
  /// The arguments to parse.
  ///
  /// A data folder that a command line names is another server's than the system's: then the
  /// standard file is not read.
  /// - Throws: `CommandFailure` if a file that counts cannot be used.
  static func completed(_ arguments: [String]) throws -> [String] {
    guard let command = CommandOptions(of: AtrestSyncd.self, arguments: arguments),
      command.path.first != "config", !arguments.contains(where: { $0 == "--help" || $0 == "-h" }),
      let file = try file(of: command, arguments)
    else { return arguments }
    let added = file.arguments(for: command.options, besides: arguments)
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    return arguments[..<end] + added + arguments[end...]
  }

  /// The file that counts for a command line. Nil: none.
  static func file(_ arguments: [String]) throws -> ConfigurationFile? {
    guard let command = CommandOptions(of: AtrestSyncd.self, arguments: arguments) else {
      return nil
    }
    return try file(of: command, arguments)
  }

  private static func file(
    of command: CommandOptions, _ arguments: [String]
  ) throws -> ConfigurationFile? {
    let options = command.options.map(\.name)
    guard options.contains("data") || command.path.first == "config" else { return nil }
    if let path = value(of: "config", arguments) {
      return try ConfigurationFile(path, options: serveOptions)
    }
    guard value(of: "data", arguments) == nil, access(ConfigurationFile.standardPath, F_OK) == 0
    else { return nil }
    return try ConfigurationFile(ConfigurationFile.standardPath, options: serveOptions)
  }

  /// The options of `serve`: all that a file may set.
  static var serveOptions: [CommandOption] {
    CommandOptions(of: AtrestSyncd.self, arguments: ["serve"])?.options ?? []
  }

  private static func value(of name: String, _ arguments: [String]) -> String? {
    for (index, argument) in arguments.enumerated() {
      if argument == "--\(name)" {
        return arguments.indices.contains(index + 1) ? arguments[index + 1] : nil
      }
      if argument.hasPrefix("--\(name)=") { return String(argument.dropFirst(name.count + 3)) }
    }
    return nil
  }
}
