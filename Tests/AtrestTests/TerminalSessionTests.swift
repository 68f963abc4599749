// SPDX-License-Identifier: Apache-2.0
// What a live view sends to its terminal.

import AtrestCommandLine
import Foundation
import Testing

@Suite("A live view's screen", .timeLimit(.minutes(20)))
struct TerminalSessionTests {
  @Test("gets all lines at first, then those that changed, and loses those that are no more")
  func drawn() {
    let pipe = Pipe()
    let session = TerminalSession(input: -1, output: pipe.fileHandleForWriting.fileDescriptor)
    func sent(_ lines: [String]) -> String {
      session.draw(lines)
      // An end mark, because reading waits where nothing was sent.
      pipe.fileHandleForWriting.write(Data(".".utf8))
      return String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    }
    #expect(sent(["a ", "b"]) == "\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K\u{1B}[2;1Hb\u{1B}[K.")
    #expect(sent(["a", "c"]) == "\u{1B}[2;1Hc\u{1B}[K.")
    #expect(sent(["a"]) == "\u{1B}[2;1H\u{1B}[K.")
    #expect(sent(["a"]) == ".")
  }
}
