// SPDX-License-Identifier: Apache-2.0
// Untrusted text on a terminal: its control characters have no effect.

import AtrestCommandLine
import Testing

@Suite("Escaped text", .timeLimit(.minutes(20)))
struct EscapedTextTests {
  /// Characters that could move the cursor, hide or reverse text, or begin a line.
  static let steering: [Unicode.Scalar] = [
    "\0", "\u{7}", "\u{8}", "\t", "\n", "\u{B}", "\r", "\u{1B}", "\u{7F}",  // C0 and DEL.
    "\u{85}", "\u{9B}", "\u{9D}",  // C1: NEL, and sequences that ESC begins.
    "\u{AD}", "\u{61C}", "\u{180E}", "\u{200B}",  // Zero width.
    "\u{200E}", "\u{200F}",  // Directional marks.
    "\u{2028}", "\u{2029}",  // Line and paragraph separators.
    "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",  // Embeddings and overrides.
    "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}",  // Isolates.
    "\u{FFF9}", "\u{FFFB}", "\u{E0001}", "\u{E0041}",  // Annotations and tags.
  ]

  @Test("controls, formats and separators are shown as U+FFFD", arguments: steering)
  func escaped(scalar: Unicode.Scalar) {
    #expect("a\(scalar)b".escapedForTerminal == "a\u{FFFD}b")
    #expect("a\(scalar)b".quotedForTerminal == "“a\u{FFFD}b”")
  }

  @Test(
    "letters, marks and pictures stay as they are",
    arguments: ["", "Zoë’s 手机 👍🏽", "e\u{301}", "עברית", "नमस्ते", "\u{FE0F}", "👨‍👩‍👧", "گوشی‌ام"])
  func kept(text: String) {
    #expect(text.escapedForTerminal == text)
    #expect(text.quotedForTerminal == "“\(text)”")
  }

  @Test("no mark in a quoted text closes its quotation")
  func quoted() {
    #expect("a” is here, “b\"c„d‟".quotedForTerminal == "“a' is here, 'b'c'd'”")
  }

  @Test("of several lines only the breaks between them stay")
  func lines() {
    #expect("a\n\u{202E}b\r\n".linesEscapedForTerminal.hasPrefix("a\n\u{FFFD}b\u{FFFD}"))
  }

  @Test("a table shows names of others in one cell, on one line")
  func table() {
    var table = Table("name", "n")
    table.add("a\u{1B}[2J\nb", "1")
    let lines = table.text().split(separator: "\n")
    #expect(lines == ["name     n", "a\u{FFFD}[2J\u{FFFD}b  1"])
  }
}
