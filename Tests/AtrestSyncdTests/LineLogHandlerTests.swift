// SPDX-License-Identifier: Apache-2.0
// Log lines: one per entry, whatever characters a user-chosen name has.

import Logging
import Testing

@testable import atrest_syncd

@Suite("Log lines", .timeLimit(.minutes(20)))
struct LineLogHandlerTests {
  private func line(_ message: String, _ metadata: Logger.Metadata = [:]) -> String {
    LineLogHandler(LogSettings(level: .trace, format: .text)).line(
      of: LogEvent(
        level: .info, message: "\(message)", metadata: metadata, source: nil, file: #fileID,
        function: #function, line: #line))
  }

  @Test("an entry is its level, its message and its fields by name")
  func fields() {
    #expect(
      line("a device was let in", ["name": "Zoë’s “phone”", "device": "0a", "count": "2"])
        == "info a device was let in count=2 device=0a name=\"Zoë’s “phone”\"")
  }

  @Test("a quotation mark, an equals sign and an empty value are told from the line's own")
  func quoted() {
    let line = line("m", ["a": "x=1", "b": "say \"no\"", "c": ""])
    #expect(line == "info m a=\"x=1\" b=\"say 'no'\" c=\"\"")
  }

  @Test(
    "no value begins a line, moves a cursor or turns the text around",
    arguments: [
      "\n", "\r", "\u{1B}", "\u{85}", "\u{9B}", "\u{200B}", "\u{200E}", "\u{2028}", "\u{202E}",
      "\u{2066}", "\u{FEFF}", "\u{E0041}",
    ] as [Unicode.Scalar])
  func escaped(scalar: Unicode.Scalar) {
    #expect(
      line("m\(scalar)n", ["name": "a\(scalar)b"]) == "info m\u{FFFD}n name=\"a\u{FFFD}b\"")
  }
}
