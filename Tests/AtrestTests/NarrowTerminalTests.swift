// SPDX-License-Identifier: Apache-2.0
// What people read on a terminal of 40 columns.

import AtrestTestSupport
import Testing

@testable import AtrestCommandLine

@Suite("A narrow terminal", .timeLimit(.minutes(20)))
struct NarrowTerminalTests {
  @Test("breaks prose between words, keeps its indentation, and breaks no command that fits")
  func prose() {
    let text = """
      Short.
        The server did not take one of these changes: `atrest water edit 3f2a` corrects it.
      """
    #expect(
      Wrapping.prose(text, columns: 30) == """
        Short.
          The server did not take one
          of these changes:
          `atrest water edit 3f2a`
          corrects it.
        """)
    #expect(Wrapping.prose(text, columns: 200) == text)
  }

  @Test("counts columns and not bytes: colours take none, ideographs two")
  func columns() {
    let quiet = "\u{1B}[2mone two\u{1B}[0m"
    #expect(Wrapping.prose(quiet, columns: 7) == quiet)
    #expect(Wrapping.prose("手机 手机", columns: 8) == "手机\n手机")
  }

  @Test("loses no word, whatever its width", arguments: 0..<50 as Range<UInt64>)
  func complete(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let text = (0..<40).map { _ in
      String("abc` 手".randomElement(using: &random) ?? "a")
    }.joined()
    for columns in 1...20 {
      let wrapped = Wrapping.prose(text, columns: columns)
      #expect(wrapped.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }
  }

  @Test("stacks a table that is wider, and leaves out its empty cells")
  func table() {
    var table = Table("ID", "STARTED", "TARGET", "")
    table.add("3f2a", "today 22:30", "16h", "abandoned")
    table.add("77b0", "today 1:05", "", "")
    #expect(
      table.text(.plain, columns: 20) == """
        3f2a
          started  today 22:30
          target   16h
                   abandoned
        77b0
          started  today 1:05
        """)
    #expect(table.text(.plain, columns: 40).hasPrefix("ID    STARTED      TARGET\n"))
    #expect(table.text(.plain, columns: nil) == table.text(.plain, columns: 40))
  }
}
