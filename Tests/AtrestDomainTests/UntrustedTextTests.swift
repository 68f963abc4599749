// SPDX-License-Identifier: Apache-2.0
// What is told of characters without the tables of the standard library is the same as with them.

import AtrestDomain
import Testing

@Suite("Characters of other programs' text", .timeLimit(.minutes(20)))
struct UntrustedTextTests {
  private let scalars = (0...0x10FFFF).lazy.compactMap { Unicode.Scalar(UInt32($0)) }

  @Test("what steers a display is every control, format and separator but the two joiners")
  func steering() {
    for scalar in scalars {
      let isOne: Bool =
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      let isJoiner = scalar == "\u{200C}" || scalar == "\u{200D}"
      if scalar.steersDisplay != (isOne && !isJoiner) {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test("a name can be seen and told from others: nothing steers, fills a gap, or is nothing alone")
  func names() {
    for name in ["phone", "Mia’s Handy", "手机", "می‌خواهم", "👩‍👩‍👧", "❤️", "한글", "é", "..."] {
      #expect(name.isReadableName, "\(name)")
    }
    for name in [
      "", " ", "\u{200B}", "phone\u{200B}", "\u{3164}", "phone\u{3164}", "\u{FFA0}", "\u{2800}",
      "\u{115F}", "\u{200D}", "\u{200C}\u{200D}", "\u{FE0F}", "\u{A0}\u{3000}", "a\u{202E}b",
      "a\u{7}b", "a\nb", "a\u{85}b", "\u{E0100}",
    ] {
      #expect(!name.isReadableName, "\(name.unicodeScalars.map { String($0.value, radix: 16) })")
    }
  }

  @Test("no filler has a look of its own: Unicode lets programs draw nothing for it")
  func fillers() {
    for scalar in scalars where scalar.isFiller && scalar != "\u{2800}" {
      if !scalar.properties.isDefaultIgnorableCodePoint {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test("blank is every white space of Unicode")
  func blanks() {
    for scalar in scalars where scalar.isBlank != scalar.properties.isWhitespace {
      Issue.record("U+\(String(scalar.value, radix: 16))")
    }
    #expect(Character("\r\n").isBlank)
    #expect(!Character("e\u{301}").isBlank)
  }
}
