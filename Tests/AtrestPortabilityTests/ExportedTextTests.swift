// SPDX-License-Identifier: Apache-2.0
// Text in an export does nothing to the terminal that shows it, and reads as it was written.

import AtrestDomain
import Foundation
import Testing

@testable import AtrestTransfer

@Suite("Text in an export", .timeLimit(.minutes(20)))
struct ExportedTextTests {
  private func written(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONObject.write(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("controls, direction marks and separators are escaped")
  func escapes() {
    #expect(written("a\u{202E}b\u{9B}31m\u{7F}\u{2028}") == #""a\u202eb\u009b31m\u007f\u2028""#)
    #expect(written("\u{E0001}") == #""\udb40\udc01""#)
    #expect(written("\"\\\n\t\u{1B}") == #""\"\\\n\t\u001b""#)
    #expect(written("Grüße, 手机 👩‍👧 /") == "\"Grüße, 手机 👩‍👧 /\"")
  }

  @Test("every character comes back, and none that steers a display is written")
  func everything() throws {
    var text = ""
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 1) {
      if let scalar = Unicode.Scalar(value), value < 0x3000 || scalar.steersDisplay {
        text.unicodeScalars.append(scalar)
      }
    }
    let json = written(text)
    #expect(!json.unicodeScalars.contains { $0.steersDisplay })
    let read = try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8))
    #expect(read.first.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
  }
}
