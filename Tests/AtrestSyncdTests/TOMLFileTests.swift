// SPDX-License-Identifier: Apache-2.0
// The part of TOML that settings need, and that nothing is read in another way than TOML means it.

import Testing

@testable import atrest_syncd

@Suite("TOML", .timeLimit(.minutes(20)))
struct TOMLFileTests {
  @Test("keys have texts, whole numbers, truth values and lists, in tables and before them")
  func values() throws {
    let file = try TOMLFile(
      """
      # A comment.
      text = "a \\"b\\" \\u00e9"   # another one
      literal = 'C:\\no escapes'
      number = -1_000
      flag = true

      list = [ "a",  # the first
        'b', 3,
      ]
      [table]
      text = ""
      """)
    #expect(
      file.assignments == [
        .init(table: "", key: "text", value: .string("a \"b\" é"), line: 2),
        .init(table: "", key: "literal", value: .string("C:\\no escapes"), line: 3),
        .init(table: "", key: "number", value: .integer(-1000), line: 4),
        .init(table: "", key: "flag", value: .boolean(true), line: 5),
        .init(
          table: "", key: "list", value: .array([.string("a"), .string("b"), .integer(3)]), line: 7),
        .init(table: "table", key: "text", value: .string(""), line: 11),
      ])
  }

  @Test("lines may end as on Windows, and the last one need not end")
  func lineEnds() throws {
    let file = try TOMLFile("a = 1\r\n\r\nb = 2")
    #expect(file.assignments.map(\.line) == [1, 3])
  }

  @Test(
    "what is no TOML, or a part that has no meaning here, is named with its line",
    arguments: [
      ("a = 1\nb", 2, "equals sign"), ("a = 1\na = 2", 2, "value already, in line 1"),
      ("a = \"x", 1, "closing quotation mark"), ("a = \"x\ny\"", 1, "closing quotation mark"),
      ("a = x", 1, "no whole number"), ("a = 1.5", 1, "no whole number"),
      ("a = 0123", 1, "no whole number"), ("a = 1__0", 1, "no whole number"),
      ("a = 99999999999999999999", 1, "no whole number"), ("a = 2026-01-01", 1, "no whole number"),
      ("a = [1, 2", 1, "closing bracket"), ("a = [1 2]", 1, "comma"),
      ("a = [[1]]", 1, "lists of lists"), ("a = {b = 1}", 1, "braces"),
      ("a.b = 1", 1, "dots"), ("\"a\" = 1", 1, "without marks"), ("[[a]]", 1, "list of tables"),
      ("[a]\n[a]", 2, "begins twice"), ("a = \"\"\"x\"\"\"", 1, "several lines"),
      ("a = 1 b = 2", 1, "should end"), ("a = \"\\q\"", 1, "backslash"),
      ("a = \"\\ud800\"", 1, "backslash"), ("a = \"\\u0000\"", 1, "backslash"),
      ("a = \"\u{7}\"", 1, "control character"), ("a =", 1, "value is missing"),
    ])
  func refused(text: String, line: Int, words: String) {
    let problem = #expect(throws: TOMLProblem.self) { try TOMLFile(text) }
    #expect(problem?.line == line)
    #expect(problem?.reason.contains(words) == true, "\(problem?.reason ?? "")")
  }

  @Test("bytes of any kind end in a value or a sentence")
  func noise() {
    let seed = UInt64.random(in: 0 ... .max)
    print("TOML noise: seed \(seed)")
    var state = seed
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let letters = Array("ab=\"'[]{}#,.\\u0 1_-\n\r\ttrue")
    for _ in 0..<2_000 {
      let text = String(
        (0..<Int(next() % 40)).map { _ in letters[Int(next() % UInt64(letters.count))] })
      _ = try? TOMLFile(text)
    }
  }
}
