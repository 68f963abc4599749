// SPDX-License-Identifier: Apache-2.0
// The options of each command, as the argument parser knows them: a new flag has its key at once.

import ArgumentParser
import Foundation

/// An option that a configuration file may set.
struct CommandOption: Equatable {
  /// The long name without its dashes, which is also the key.
  let name: String
  /// What it does, in a sentence.
  let abstract: String
  /// The value it has unless told otherwise. Nil: none.
  let standard: String?
  /// A flag has no value: `true` in a file.
  let isFlag: Bool
  /// Whether it may be given more than once: a list in a file.
  let isRepeating: Bool
}

/// What a command line calls.
struct CommandOptions {
  /// The options of the command.
  let options: [CommandOption]
  /// The names of the command and those above it, without the program's.
  let path: [String]

  /// Options that make no sense in a file.
  private static let personal: Set<String> = ["help", "version", "config"]

  /// The options of the command that `arguments` names. Nil if they name none that runs.
  init?(of root: any ParsableCommand.Type, arguments: [String]) {
    guard let help = try? JSONDecoder().decode(HelpDump.self, from: Data(root._dumpHelp().utf8))
    else { return nil }
    var command = help.command
    var path: [String] = []
    for argument in arguments {
      let next = command.subcommands?.first {
        $0.commandName == argument || ($0.aliases ?? []).contains(argument)
      }
      guard let next else { break }
      command = next
      path.append(next.commandName)
    }
    guard command.subcommands?.isEmpty ?? true else { return nil }
    self.path = path
    options = (command.arguments ?? []).compactMap { argument in
      guard argument.kind != "positional", argument.shouldDisplay,
        let name = argument.names?.first(where: { $0.kind == "long" })?.name,
        !Self.personal.contains(name)
      else { return nil }
      return CommandOption(
        name: name, abstract: argument.abstract ?? "", standard: argument.defaultValue,
        isFlag: argument.kind == "flag", isRepeating: argument.isRepeating)
    }
  }
}

/// The part of `--experimental-dump-help` that matters here.
private struct HelpDump: Decodable {
  struct Command: Decodable {
    let commandName: String
    let aliases: [String]?
    let subcommands: [Command]?
    let arguments: [Argument]?
  }
  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }
    let kind: String
    let names: [Name]?
    let abstract: String?
    let defaultValue: String?
    let isRepeating: Bool
    let shouldDisplay: Bool
  }
  let command: Command
}
