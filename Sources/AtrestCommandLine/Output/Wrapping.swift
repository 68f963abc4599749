// SPDX-License-Identifier: Apache-2.0
// Wraps text.

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

extension String {
  /// The string without trailing spaces.
  public var trimmedEnd: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
