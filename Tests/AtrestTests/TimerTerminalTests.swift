// SPDX-License-Identifier: Apache-2.0
// The live timer on a real terminal: drawing, updating, and restoring the terminal's settings.

import Foundation
import Testing

@Suite("The live timer on a terminal", .serialized, .timeLimit(.minutes(20)))
struct TimerTerminalTests {
  private let atrest: Binary
  private static let taken = "\u{1B}[?1049h\u{1B}[?25l"
  private static let given = "\u{1B}[?25h\u{1B}[?1049l"

  init() throws {
    atrest = try Binary()
  }

  @Test("a fast begins, the window changes, the fast ends, and the terminal is as before")
  func whole() throws {
    let terminal = try PseudoTerminal(columns: 60, rows: 20)
    let before = try terminal.settings()
    let process = try terminal.start(atrest, ["timer"])
    try terminal.wait(for: Self.taken)
    try terminal.wait(for: "When you're ready")
    try terminal.wait(for: "q quit")
    #expect(try terminal.settings() != before)
    #expect(
      !FileManager.default.fileExists(atPath: atrest.replica.path), "looking makes nothing")

    try terminal.type("b")
    try terminal.wait(for: "0h 0m")
    try terminal.type("w")
    try terminal.wait(for: "Noted 250 ml.")
    try terminal.resize(columns: 20, rows: 12)
    kill(process.processIdentifier, SIGWINCH)
    try terminal.wait(for: "\u{1B}[2J")
    let narrow = try terminal.wait(for: "q quit")
    #expect(narrow.contains("Your body is"))
    #expect(!narrow.contains("\u{1B}[13;1H"), "no row below the last")
    try terminal.type("u")
    try terminal.wait(for: "Undone: 250 ml,")
    try terminal.type("e")
    try terminal.wait(for: "Ended.")
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(terminal.written.hasSuffix(Self.given))
    #expect(try terminal.settings() == before)

    let list = try #require(
      try atrest("sessions", "list", "--all", "--json").json() as? [[String: Any]])
    #expect(list.count == 1 && list[0]["outcome"] as? String == "completed")
    #expect(try atrest("water", "list", "--json").json() as? [String] == [])
  }

  @Test("neither arrows nor the wheel begin a fast, in however many pieces they come")
  func arrows() throws {
    let terminal = try PseudoTerminal(columns: 60, rows: 20)
    let process = try terminal.start(atrest, ["timer"])
    try terminal.wait(for: "q quit")
    try terminal.type(String(repeating: "\u{1B}[B", count: 90))
    for piece in ["\u{1B}", "[", "B"] {
      try terminal.type(piece)
      usleep(50_000)
    }
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
  }

  @Test("u takes back what was done in it, says what that was, and leaves what was done elsewhere")
  func undo() throws {
    let terminal = try PseudoTerminal(columns: 60, rows: 20)
    let process = try terminal.start(atrest, ["timer"])
    try terminal.wait(for: "q quit")
    try terminal.type("w")
    try terminal.wait(for: "Noted 250 ml.")
    try atrest("settings", "set", "target", "20h")
    try terminal.type("u")
    try terminal.wait(for: "Something else was done since.")
    #expect(try atrest("settings", "get", "target").out.contains("20h"))
    #expect(try atrest("undo").code == 0)
    try terminal.type("u")
    try terminal.wait(for: "Undone: 250 ml, today")
    try terminal.type("q")
    terminal.finish(process)
    #expect(try atrest("water", "list", "--json").json() as? [String] == [])
  }

  @Test(
    "a signal ends it as if it had not been caught, after giving the terminal back",
    arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func signals(number: Int32) throws {
    let terminal = try PseudoTerminal(columns: 60, rows: 20)
    let before = try terminal.settings()
    let process = try terminal.start(atrest, ["timer"])
    try terminal.wait(for: "q quit")
    kill(process.processIdentifier, number)
    terminal.finish(process)
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    #expect(terminal.written.hasSuffix(Self.given))
    #expect(try terminal.settings() == before)
  }

  @Test("stopped, it gives the terminal back; going on, it draws anew")
  func stopped() throws {
    let terminal = try PseudoTerminal(columns: 60, rows: 20)
    let before = try terminal.settings()
    let process = try terminal.start(atrest, ["timer"])
    try terminal.wait(for: "q quit")
    kill(process.processIdentifier, SIGTSTP)
    try terminal.wait(for: Self.given)
    while try state(of: process) != "T" { sched_yield() }
    #expect(try terminal.settings() == before)
    kill(process.processIdentifier, SIGCONT)
    try terminal.wait(for: Self.taken)
    try terminal.wait(for: "q quit")
    try terminal.type("q")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(try terminal.settings() == before)
  }

  /// The kernel's letter for a process's state.
  private func state(of process: Process) throws -> Substring? {
    let line = try String(
      contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    return line.split(separator: ")").last?.split(separator: " ").first
  }

  @Test("where no colour is wanted there is none")
  func plain() throws {
    try atrest("fast", "start", "--at", "10h ago")
    let terminal = try PseudoTerminal(columns: 60, rows: 24)
    let process = try terminal.start(
      atrest, ["timer"], ["NO_COLOR": "1", "COLORTERM": "truecolor", "LANG": "C.UTF-8"])
    try terminal.wait(for: "q quit")
    try terminal.type("q")
    terminal.finish(process)
    #expect(terminal.written.contains("10h 0m") && terminal.written.contains("⣿"))
    #expect(
      !terminal.written.replacingOccurrences(of: "\u{1B}[0m", with: "").contains(
        #/\u{1B}\[[0-9;]*m/#))
  }

  @Test("where nothing can be drawn it says so in one sentence, and touches nothing")
  func nowhere() throws {
    let answer = try atrest("timer")
    #expect(answer.code == 64 && answer.out.isEmpty)
    #expect(answer.err.split(separator: "\n").count == 1)
    let terminal = try PseudoTerminal(columns: 60, rows: 24)
    let process = try terminal.start(atrest, ["timer"], ["TERM": "dumb"])
    terminal.finish(process)
    #expect(process.terminationStatus == 64 && !terminal.written.contains("\u{1B}"))
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
  }
}
