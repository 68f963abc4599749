// SPDX-License-Identifier: Apache-2.0
// Wraps text.

import AtrestDomain

/// Wraps text at words.
public enum Wrapping {
  /// The lines of a text, at most `width` characters each; longer words are cut. Keeps the text's
  /// line breaks.
  public static func lines(_ text: String, width: Int) -> [String] {
    let width = max(1, width)
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      var lines: [String] = []
      var line = ""
      for word in paragraph.split(separator: " ") {
        var word = word[...]
        if !line.isEmpty, line.count + 1 + word.count > width {
          lines.append(line)
          line = ""
        }
        while line.isEmpty, word.count > width {
          lines.append(String(word.prefix(width)))
          word = word.dropFirst(width)
        }
        if !word.isEmpty { line += (line.isEmpty ? "" : " ") + word }
      }
      if !line.isEmpty || lines.isEmpty { lines.append(line) }
      return lines
    }
  }
}

extension Wrapping {
  /// The same number of lines as `lines`, about equally long, so that no word is alone on the last.
  public static func balanced(_ text: String, width: Int) -> [String] {
    let widest = lines(text, width: width)
    let longest = text.split(whereSeparator: \.isWhitespace).map(\.count).max() ?? 0
    guard longest < width else { return widest }
    return (max(1, longest)..<width).lazy.map { lines(text, width: $0) }
      .first { $0.count <= widest.count } ?? widest
  }

  /// A text for people, wrapped at words where a line is wider than the terminal. Further lines of
  /// a paragraph are indented like its first. Commands in backticks stay whole where they fit, and
  /// escape sequences take no columns.
  public static func prose(_ text: String, columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      guard visible(paragraph) > columns else { return [String(paragraph)] }
      let indent = String(paragraph.prefix { $0 == " " }.prefix(columns / 2))
      var lines: [String] = []
      var line = indent
      for word in words(paragraph) {
        if line.count > indent.count {
          if visible(line) + 1 + visible(word) <= columns {
            line += " " + word
            continue
          }
          lines.append(line)
          line = indent
        }
        line += word
      }
      return lines + [line]
    }.joined(separator: "\n")
  }

  /// What may not be broken: words, and commands in backticks.
  private static func words(_ text: Substring) -> [String] {
    var words: [String] = []
    var isCommand = false
    for part in text.split(separator: " ") {
      if isCommand { words[words.count - 1] += " " + part } else { words.append(String(part)) }
      if part.count(where: { $0 == "`" }) % 2 == 1 { isCommand.toggle() }
    }
    return words
  }

  /// The columns of a text with escape sequences that set colours.
  private static func visible(_ text: some StringProtocol) -> Int {
    var columns = 0
    var isSequence = false
    for character in text {
      if isSequence {
        isSequence = character != "m"
      } else if character == "\u{1B}" {
        isSequence = true
      } else {
        columns += ColumnWidth.of(character)
      }
    }
    return columns
  }
}

extension String {
  /// The string without trailing spaces.
  public var trimmedEnd: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
