// SPDX-License-Identifier: Apache-2.0
// Detects mistyped commands. The parser would pass the word to the default command and print that
// one's usage.

import ArgumentParser

/// Finds mistyped commands and suggests corrections.
package enum MistypedCommand {
  /// A sentence about the first word that is no command, with a suggestion; nil if the parser's own
  /// message applies.
  ///
  /// No default command takes a positional argument, so such a word is never one.
  package static func sentence(
    _ arguments: [String], of root: any ParsableCommand.Type
  ) -> String? {
    var command = root
    var path = root._commandName
    var words = arguments[...]
    while let word = words.popFirst() {
      // Options that may precede a command.
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

  /// The listed command with the smallest edit distance, at most two and at most half of the word.
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

  /// The Levenshtein distance.
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
