// SPDX-License-Identifier: Apache-2.0
// The live garden on a real terminal: keys, mouse and pastes, and what they write.

import Foundation
import Testing

@Suite("The live garden on a terminal", .serialized, .timeLimit(.minutes(20)))
struct GardenTerminalTests {
  private let trunk: Binary
  private static let taken = "\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
  private static let given =
    "\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  init() throws {
    trunk = try Binary("trunk")
  }

  private func sprouts() throws -> [[String: Any]] {
    try #require(try trunk("list", "--json").json() as? [[String: Any]])
  }

  @Test("a sprout is planted, watered by a paste, uprooted and taken back; then all is as before")
  func whole() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let before = try terminal.settings()
    let process = try terminal.start(trunk, ["garden"])
    try terminal.wait(for: Self.taken)
    try terminal.wait(for: "nothing yet")
    #expect(
      !FileManager.default.fileExists(atPath: trunk.replica.path), "looking makes nothing")
    try terminal.type("35p")
    try terminal.wait(for: "What is the goal?")
    try terminal.type("Read quietly\r")
    try terminal.wait(for: "How long is its season?")
    try terminal.type("\u{1B}[B\r")
    try terminal.wait(for: "What is the ground like?")
    try terminal.type("2\r")
    try terminal.wait(for: "Planted “Read quietly”")
    try terminal.type("w")
    try terminal.wait(for: "A few words?")
    try terminal.type("\u{1B}[200~One page.\nThen another q\u{1B}[201~\r")
    try terminal.wait(for: "Watered “Read quietly”")
    try terminal.type("x")
    try terminal.wait(for: "A quarter of its soil")
    try terminal.type("2\r")
    try terminal.wait(for: "Uprooted “Read quietly”")
    try terminal.type("u")
    try terminal.wait(for: "Taken back")
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(terminal.written.hasSuffix(Self.given))
    #expect(try terminal.settings() == before)

    let list = try sprouts()
    #expect(list.count == 1 && list[0]["title"] as? String == "Read quietly")
    #expect(list[0]["state"] as? String == "active" && list[0]["season"] as? String == "3m")
    #expect(try trunk("journal").out.contains("One page. Then another q"))
  }

  @Test("a click on the tree chooses a part, another one zooms in, a small window still answers")
  func mouse() throws {
    try trunk("plant", "Read", "--on", "3.5")
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let process = try terminal.start(trunk, ["garden"])
    try terminal.wait(for: "q quit")
    // The trunk stands in the middle, just above the ground.
    for row in [19, 20] { try terminal.type("\u{1B}[<0;40;\(row)M\u{1B}[<0;40;\(row)m") }
    try terminal.type("n")
    try terminal.wait(for: "Read")
    try terminal.resize(columns: 20, rows: 6)
    kill(process.processIdentifier, SIGWINCH)
    try terminal.wait(for: "\u{1B}[2J")
    let narrow = try terminal.wait(for: "q quit")
    #expect(!narrow.contains("\u{1B}[7;1H"), "no row below the last")
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
  }

  @Test("u leaves what was done elsewhere")
  func undo() throws {
    try trunk("plant", "Read", "--on", "3.5")
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let process = try terminal.start(trunk, ["garden"])
    try terminal.wait(for: "q quit")
    try terminal.type("nw")
    try terminal.wait(for: "A few words?")
    try terminal.type("Here\r")
    try terminal.wait(for: "Watered")
    try trunk("label", "3", "Mind")
    try terminal.type("u")
    try terminal.wait(for: "Something else was done since.")
    #expect(try trunk("undo").code == 0)
    try terminal.type("u")
    try terminal.wait(for: "Taken back")
    try terminal.type("q")
    terminal.finish(process)
    #expect(try trunk("journal", "--json").json() as? [String] == [])
  }

  @Test("u leaves what was done elsewhere to the same sprout")
  func undoSameRecord() throws {
    try trunk("plant", "Read", "--on", "3.5")
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let process = try terminal.start(trunk, ["garden"])
    try terminal.wait(for: "q quit")
    try terminal.type("nx")
    try terminal.wait(for: "Yes, uproot it")
    try terminal.type("\u{1B}[B\r")
    try terminal.wait(for: "Uprooted")
    try trunk("edit", "read", "--note", "My knee")
    try terminal.type("u")
    try terminal.wait(for: "Something else was done since.")
    #expect(try trunk("list", "--all", "--json").out.contains("My knee"))
    #expect(try trunk("undo").code == 0)
    try terminal.type("u")
    try terminal.wait(for: "Taken back")
    try terminal.type("q")
    terminal.finish(process)
    #expect(try trunk("list").out.contains("growing"))
  }

  @Test("where nothing can be drawn it says so in one sentence")
  func nowhere() throws {
    let answer = try trunk("garden")
    #expect(answer.code == 64 && answer.out.isEmpty)
    #expect(answer.err.split(separator: "\n").count == 1)
  }
}
