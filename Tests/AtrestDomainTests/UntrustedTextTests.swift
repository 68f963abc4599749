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

  @Test("blank is every white space of Unicode")
  func blanks() {
    for scalar in scalars where scalar.isBlank != scalar.properties.isWhitespace {
      Issue.record("U+\(String(scalar.value, radix: 16))")
    }
    #expect(Character("\r\n").isBlank)
    #expect(!Character("e\u{301}").isBlank)
  }
}
