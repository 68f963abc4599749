// SPDX-License-Identifier: Apache-2.0
// Pages taller than a terminal: what is shown of them, and that nothing is out of reach.

import AtrestCommandLine
import Foundation
import Testing

@testable import atrest

@Suite("A page that scrolls", .timeLimit(.minutes(20)))
struct PageTests {
  @Test("begins at its end or start, and stays within itself")
  func bounds() {
    var scroll = Scroll(count: 160, rows: 23)
    #expect(scroll.shown == 0..<23 && scroll.isMore == (false, true))
    scroll.move(by: -5)
    #expect(scroll.shown == 0..<23)
    scroll.move(by: .max)
    #expect(scroll.shown == 137..<160 && scroll.isMore == (true, false))
    #expect(Scroll(count: 160, rows: 23, end: true).shown == 137..<160)
    #expect(Scroll(count: 5, rows: 23, end: true).shown == 0..<5)
    #expect(Scroll(count: 0, rows: 0).shown.isEmpty)
  }

  @Test("shows every row on the way down by pages, and on the way up by rows")
  func everything() {
    var scroll = Scroll(count: 160, rows: 23)
    var seen = IndexSet(integersIn: scroll.shown)
    while scroll.isMore.below {
      let isKnown = scroll.press(.character(" "))
      #expect(isKnown)
      seen.insert(integersIn: scroll.shown)
    }
    #expect(seen == IndexSet(integersIn: 0..<160))
    for _ in 0..<160 { _ = scroll.press(.arrow(.up)) }
    #expect(scroll.offset == 0)
    let isKnown = scroll.press(.other)
    #expect(!isKnown)
  }

  @Test("keeps its place on a terminal of another size")
  func resized() {
    var scroll = Scroll(count: 100, rows: 20)
    scroll.move(by: 40)
    scroll.resize(count: 200, rows: 20)
    #expect(scroll.offset == 90)
    scroll.resize(count: 10, rows: 20)
    #expect(scroll.shown == 0..<10)
  }

  @Test("has a line of keys on every screen, and no row below the last")
  func lines() throws {
    for (columns, rows) in [(80, 24), (20, 5), (1, 1)] {
      let page = try PageView(
        .plain, size: ScreenSize(columns: columns, rows: rows)
      ) { _ in (0..<60).map(String.init) }
      #expect(page.lines.count <= max(2, rows) && page.isTall)
      #expect(page.lines.last.map { "q back".hasPrefix($0.prefix(6)) } ?? false)
      page.press([.character("q")])
      #expect(page.isOver)
    }
  }

  @Test("words on several lines leave none alone on the last", arguments: 12...60)
  func widows(width: Int) {
    let text = "Your body is likely moving from stored sugar to stored fat by now, slowly."
    let (plain, balanced) = (
      Wrapping.lines(text, width: width), Wrapping.balanced(text, width: width)
    )
    #expect(balanced.count == plain.count && balanced.allSatisfy { $0.count <= width })
    #expect(balanced.joined(separator: " ") == text)
    let (longest, last) = (balanced.map(\.count).max() ?? 0, balanced.last?.count ?? 0)
    #expect(last * 3 >= longest, "\(balanced)")
  }
}

@Suite("Pages on a terminal", .serialized, .timeLimit(.minutes(20)))
struct PageTerminalTests {
  @Test("f shows the forest and m the month over the timer, Escape returns; u works twice")
  func timer() throws {
    let atrest = try Binary()
    let terminal = try PseudoTerminal(columns: 70, rows: 24)
    let process = try terminal.start(atrest, ["timer"])
    try terminal.wait(for: "q quit")
    try terminal.type("b")
    try terminal.wait(for: "0h 0m")
    try terminal.type("w")
    try terminal.wait(for: "Noted 250 ml.")
    try terminal.type("w")
    try terminal.wait(for: "500 ml")
    try terminal.type("m")
    try terminal.wait(for: "q back")
    try terminal.type("\u{1B}[D")
    try terminal.type("q")
    try terminal.wait(for: "q quit")
    try terminal.type("u")
    try terminal.wait(for: "Undone: 250 ml")
    try terminal.type("u")
    try terminal.wait(for: "0 ml")
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(try atrest("water", "list", "--json").json() as? [String] == [])
  }

  @Test("a forest taller than the terminal scrolls on the whole of it, and a pipe gets all of it")
  func forest() throws {
    let atrest = try Binary()
    try atrest("fast", "start", "--at", "20h ago")
    try atrest("fast", "complete")
    let whole = try atrest("forest").out.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(whole.count > 12)
    let terminal = try PseudoTerminal(columns: 70, rows: 12)
    let before = try terminal.settings()
    let process = try terminal.start(atrest, ["forest"])
    try terminal.wait(for: "\u{1B}[?1049h")
    let first = try terminal.wait(for: "Space page")
    #expect(first.contains("up") && !first.contains("down") && !first.contains("\u{1B}[13;1H"))
    try terminal.type("g")
    try terminal.wait(for: "down")
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(try terminal.settings() == before)
  }

  @Test("a month is a picture, too")
  func calendar() throws {
    let atrest = try Binary()
    let picture = try atrest("calendar", "2026-05", "--svg", "-", "--size", "1440x900").out
    #expect(picture.hasPrefix("<?xml") || picture.hasPrefix("<svg"))
    #expect(picture.contains("width=\"1440\" height=\"900\""))
    #expect(try atrest("calendar", "--size", "10x10").code == 64)
  }
}
