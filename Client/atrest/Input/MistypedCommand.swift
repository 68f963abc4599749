// SPDX-License-Identifier: Apache-2.0
// Tells of a word that should be a command and is none. The parser would hand it to the default
// command, and explain that one.

import ArgumentParser
import AtrestCommandLine

/// Commands as people mistype them.
enum MistypedCommand {
  /// One sentence about the first word that names no command, with the one that may have been
  /// meant; nil where the parser has its own say.
  ///
  /// No default command takes a word of its own, so such a word is never an argument.
  static func sentence(_ arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = Atrest.self
    var path = "atrest"
    var words = arguments[...]
    while let word = words.popFirst() {
      // What may stand before a command.
      if word == "--replica" {
        words = words.dropFirst()
        continue
      }
      if word == "--json" || word.hasPrefix("--replica=") { continue }
      let commands = command.configuration.subcommands
      guard !word.isEmpty, !word.hasPrefix("-"), word != "help", !commands.isEmpty else {
        return nil
      }
      guard let next = commands.first(where: { names(of: $0).contains(word) }) else {
        let meant = nearest(to: word, in: commands).map { " Did you mean `\(path) \($0)`?" } ?? ""
        return "There is no command `\(path) \(word.escapedForTerminal)`.\(meant) `\(path) --help` "
          + "shows them all."
      }
      command = next
      path += " " + word
    }
    return nil
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command._commandName] + command.configuration.aliases
  }

  /// The listed name of which the least is wrong: at most two letters, and at most half of it.
  private static func nearest(
    to word: String, in commands: [any ParsableCommand.Type]
  ) -> String? {
    let word = word.lowercased()
    guard word.utf8.count <= 32 else { return nil }
    var nearest: (name: String, distance: Int)?
    for command in commands where command.configuration.shouldDisplay {
      for name in names(of: command) {
        let distance = distance(word, name)
        guard distance <= 2, distance * 2 <= name.count else { continue }
        if distance < nearest?.distance ?? .max { nearest = (name, distance) }
      }
    }
    return nearest?.name
  }

  /// How many letters to change, put in or leave out to make one word of the other: Levenshtein's
  /// distance.
  private static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (index, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in b.enumerated() {
        let cost = min(row[column], row[column + 1]) + 1
        let kept = diagonal + (letter == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(cost, kept)
      }
    }
    return row[b.count]
  }
}
