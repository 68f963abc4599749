// SPDX-License-Identifier: Apache-2.0
// Specifies what a browser's store keeps, and that damage is never taken for less data.

import AtrestDomain
import Testing

@testable import AtrestWeb

@Suite("The rows of a browser", .timeLimit(.minutes(20)))
struct RowStoreTests {
  @Test("a new replica has rows to keep, and opens from them")
  func fresh() throws {
    let rows = Page().rows
    #expect(Set(rows.keys) == ["state", "summary"])
    #expect(Page(rows: rows).said.hasPrefix(#"{"result":{"fresh":false}"#))
  }

  @Test("what was written is there after a page was loaded again")
  func reopened() throws {
    let page = Page()
    page.act("water.add", #"{"millilitres":300}"#)
    #expect(Page(rows: page.rows).view("water").contains(#""millilitres":300,"text":"300 ml""#))
  }

  @Test("an undone drink leaves no row that an older store would have lost")
  func undone() throws {
    let page = Page()
    page.act("water.add", "{}")
    let before = page.rows
    page.act("undo", "{}")
    #expect(Page(rows: page.rows).said.contains("fresh"))
    // A transaction of which a part was lost.
    var half = page.rows
    half["state"] = before["state"]
    half.merge(before.filter { $0.key.hasPrefix("record/") }) { $1 }
    #expect(Page(rows: half).said.contains(#""code":"damaged""#))
  }

  @Test("a store of a later version is not opened")
  func newer() throws {
    var rows = Page().rows
    // The version is the first byte of the summary. Its checksum is told apart from its meaning.
    rows["summary"] = RowStore.sealed("summary", [3, 1, 2, 3]).bytes
    #expect(Page(rows: rows).said.contains(#""code":"newer""#))
  }

  @Test(
    "bytes that are no request are refused",
    arguments: [[], [[]], [[0x7B]], [Array(#"{"do":"view","now":1}"#.utf8)], [[0xFF, 0xFE]]])
  func refused(_ request: [[UInt8]]) {
    let answer = WebCore(random: { 7 }).answer(request)
    #expect(String(decoding: answer[0], as: UTF8.self).hasPrefix(#"{"error":"#))
  }
}

/// A page: a core, and the rows that were kept.
private final class Page {
  private let core: WebCore
  private(set) var rows: [String: [UInt8]]
  /// The answer to opening.
  private(set) var said = ""

  init(rows: [String: [UInt8]] = [:]) {
    var number: UInt64 = 0
    core = WebCore(random: {
      number += 0x9E37_79B9
      return number
    })
    self.rows = rows
    let parts = rows.flatMap { [Array($0.key.utf8), $0.value] }
    said = ask(#"{"do":"open","app":"atrest","now":1779278400000,"argument":{}}"#, parts)
  }

  @discardableResult
  func act(_ name: String, _ argument: String) -> String {
    ask(#"{"do":"act","name":"\#(name)","now":1779278400000,"argument":\#(argument)}"#)
  }

  func view(_ name: String) -> String {
    ask(#"{"do":"view","name":"\#(name)","now":1779278400000,"argument":{}}"#)
  }

  private func ask(_ request: String, _ parts: [[UInt8]] = []) -> String {
    let answer = core.answer([Array(request.utf8)] + parts)
    let text = String(decoding: answer[0], as: UTF8.self)
    guard let json = StrictJSON(answer[0])?.members else { return text }
    for (index, key) in (json["put"]?.elements ?? []).enumerated() {
      if let key = key.text { rows[key] = answer[1 + index] }
    }
    for key in json["remove"]?.elements ?? [] { key.text.map { rows[$0] = nil } }
    return text
  }
}
