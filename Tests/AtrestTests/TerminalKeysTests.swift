// SPDX-License-Identifier: Apache-2.0
// Keys, pastes and presses of the mouse out of a terminal's bytes.

import AtrestCommandLine
import AtrestTestSupport
import Testing

@Suite("A terminal's keys", .timeLimit(.minutes(20)))
struct TerminalKeysTests {
  private func keys(_ text: String) -> [TerminalKey] {
    var keys = TerminalKeys()
    return keys.receive(text.utf8)
  }

  @Test("are characters, with letters for shortcuts whatever their case")
  func characters() {
    #expect(keys("bE1{") == [.character("b"), .character("E"), .character("1"), .character("{")])
    #expect(keys("bE1é").map(\.letter) == ["b", "e", nil, nil])
    #expect(keys("é語🌱") == [.character("é"), .character("語"), .character("🌱")])
    #expect(keys("e\u{301}").count == 2, "an accent is a key of its own")
  }

  @Test("are the keys that edit, and Control with a letter")
  func editing() {
    #expect(
      keys("\r\n\t\u{7F}\u{8}\u{15}")
        == [.enter, .enter, .tab, .backspace, .backspace, .control("u")])
  }

  @Test("of bytes that are no UTF-8 are others, and what follows stands for itself")
  func notText() {
    var keys = TerminalKeys()
    #expect(keys.receive([0xFF, 0x9B, 0x77]) == [.other, .character("w")])
    #expect(keys.receive([0xE8, 0xAA, 0x77]) == [.character("w")], "cut off")
    #expect(keys.receive([0xED, 0xA0, 0x80, 0x77]) == [.other, .character("w")], "a surrogate")
    #expect(keys.receive([0xC3, 0x1B, 0x5B, 0x42]) == [.arrow(.down)])
  }

  @Test("are arrows, in each form that terminals have")
  func arrows() {
    #expect(
      keys("\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}[D")
        == [.arrow(.up), .arrow(.down), .arrow(.right), .arrow(.left)])
  }

  @Test(
    "are one key for a control sequence, in however many pieces it comes",
    arguments: ["\u{1B}[H", "\u{1B}[1;5F", "\u{1B}[20~", "\u{1B}[[E", "\u{1B}OP", "\u{1B}b"])
  func sequences(sequence: String) {
    var keys = TerminalKeys()
    let many = keys.receive(String(repeating: sequence, count: 90).utf8)
    #expect(many == Array(repeating: .other, count: 90))
    let pieces = sequence.utf8.flatMap { keys.receive([$0]) }
    #expect(pieces == [.other])
    #expect(keys.receive("q".utf8) == [.character("q")])
  }

  @Test("are the escape key once nothing follows; what follows late is still no letter")
  func escape() {
    var keys = TerminalKeys()
    #expect(keys.receive("\u{1B}".utf8) == [] && keys.isUndecided)
    #expect(keys.settle() == [.escape])
    #expect(!keys.isUndecided && keys.settle() == [])
    #expect(keys.receive("[Bb".utf8) == [.arrow(.down), .character("b")])
    #expect(keys.receive("\u{1B}[\u{1B}[B".utf8) == [.arrow(.down)], "a sequence that was cut off")
  }

  @Test("are presses of the mouse, counted from 0, and turns of its wheel")
  func mouse() {
    #expect(
      keys("\u{1B}[<0;1;1M\u{1B}[<0;1;1m\u{1B}[<0;80;24M")
        == [.click(column: 0, row: 0), .click(column: 79, row: 23)])
    #expect(keys("\u{1B}[<2;5;5M") == [.rightClick])
    #expect(keys("\u{1B}[<64;5;5M\u{1B}[<65;5;5M") == [.wheel(isUp: true), .wheel(isUp: false)])
    #expect(keys("\u{1B}[<16;3;4M") == [.click(column: 2, row: 3)], "with Control")
  }

  @Test(
    "of a mouse that cannot be are others",
    arguments: [
      "<0;0;1M", "<0;1M", "<0;99999999999999999999;1M", "<;;M", "<0;1;-1M", "<1;1;1M",
      String(repeating: "9", count: 5_000) + "M",
    ])
  func impossibleMouse(sequence: String) {
    #expect(keys("\u{1B}[\(sequence)q") == [.other, .character("q")])
  }

  @Test("of a terminal with an old mouse do not become letters")
  func oldMouse() {
    #expect(keys("\u{1B}[M !!q") == [.other, .character("q")])
  }

  @Test("of a paste come as one, with line ends and what looks like keys")
  func paste() {
    #expect(
      keys("\u{1B}[200~two\nlines \u{1B}[B q\u{1B}[201~q")
        == [.paste("two\nlines \u{1B}[B q"), .character("q")])
  }

  @Test("of a paste that is too long are its first 65,536 bytes")
  func longPaste() {
    let long = String(repeating: "x", count: 200_000)
    let pasted = keys("\u{1B}[200~\(long)\u{1B}[201~q")
    #expect(
      pasted
        == [.paste(String(repeating: "x", count: TerminalKeys.pasteLimit)), .character("q")])
  }

  @Test("are never more than the bytes, whatever bytes they are, and a key follows at last")
  func anyBytes() {
    checkLaw(cases: 2_000) { random in
      var keys = TerminalKeys()
      let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        [0x1B, 0x5B, 0x4F, 0x3C, 0x4D, 0x7E, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      let count = keys.receive(bytes).count
      _ = keys.settle()
      // Whatever was begun ends with this.
      let after = keys.receive("\u{1B}[201~~~~~q".utf8)
      return count <= bytes.count && after.last == .character("q")
    }
  }
}
