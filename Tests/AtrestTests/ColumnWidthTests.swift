// SPDX-License-Identifier: Apache-2.0
// The columns of text, and tables of it.

import AtrestCommandLine
import AtrestDomain
import Testing

@Suite("Columns of text", .timeLimit(.minutes(20)))
struct ColumnWidthTests {
  @Test(
    "are two for ideographs and emoji, and one for other characters",
    arguments: [
      ("", 0), ("Fasten", 6), ("Wüste", 5), ("e\u{301}", 1), ("ö\u{308}\u{308}", 1), ("読書", 4),
      ("한국", 4), ("ｱ", 1), ("Ａ", 2), ("🌱", 2), ("👨‍👩‍👧", 2), ("❤️", 2), ("1️⃣", 2), ("שלום", 4),
      ("…“”●✦", 5),
    ])
  func width(text: String, columns: Int) {
    #expect(ColumnWidth.of(text) == columns)
  }

  @Test("are never exceeded by a beginning or an end")
  func cut() {
    #expect(ColumnWidth.prefix("a読書", columns: 4) == "a読")
    #expect(ColumnWidth.suffix("読書a", columns: 4) == "書a")
    #expect(ColumnWidth.prefix("読", columns: 1) == "" && ColumnWidth.suffix("a", columns: 0) == "")
    #expect(ColumnWidth.suffix("e\u{301}x", columns: 2) == "e\u{301}x")
  }

  @Test("of a table fit a terminal: the widest cells are cut", arguments: 20...90)
  func fitted(width: Int) {
    var table = Table("ID", "TITLE", "STATE")
    table.add("3f2a91c0", String(repeating: "読書 ", count: 20), String(repeating: "x", count: 30))
    table.add("3f2a91c1", "Walk", "draft")
    let lines = table.text(width: width).split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { ColumnWidth.of($0) <= max(width, 28) })
    #expect(lines[1].contains("…") && lines[2].contains("Walk"))
    #expect(width < 86 || ColumnWidth.of(lines[1]) == width, "all room is used")
  }

  @Test("align a table")
  func table() {
    var table = Table("TITLE", "STATE")
    table.add("読書", "growing")
    table.add("Walk", "draft")
    for row in table.text(width: 14).split(separator: "\n") {
      #expect(ColumnWidth.of(row) <= 14)
    }
    #expect(table.text() == "TITLE  STATE\n読書   growing\nWalk   draft")
  }
}
