// SPDX-License-Identifier: Apache-2.0
// Two fasts over the same time: a person on a terminal is asked which is right, a script is told.

import Foundation
import Testing

@Suite("Two fasts over the same time", .timeLimit(.minutes(20)))
struct OverlapQuestionTests {
  private let atrest: Binary
  private let first: String
  private let second: String

  /// A fast of 20 to 10 hours ago, and one that began 14 hours ago and goes on.
  init() throws {
    atrest = try Binary()
    let begun = { [atrest] (time: String) throws -> String in
      let row = try atrest("fast", "start", "--at", time, "--json").json() as? [String: Any]
      return String(try #require(row?["id"] as? String).prefix(8))
    }
    first = try begun("20h ago")
    #expect(try atrest("fast", "complete", "--at", "10h ago").code == 0)
    second = try begun("14h ago")
  }

  private func lengths() throws -> [Int] {
    let rows = try atrest("sessions", "list", "--json").json() as? [[String: Any]]
    return try #require(rows).compactMap { $0["elapsed_minutes"] as? Int }.sorted()
  }

  /// Completes the second fast on a terminal, and answers.
  private func complete(answering answer: String) throws -> String {
    let asking = try atrest.dialogue("fast", "complete", "--at", "2h ago")
    try asking.read(until: "1, 2 or 3:")
    #expect(asking.shown.contains("Is that one fast noted twice?"))
    #expect(try lengths() == [600, 720], "nothing is corrected before the answer")
    try asking.type(answer)
    #expect(try asking.end() == 0)
    return asking.shown
  }

  @Test("both are kept unless something else is asked for", arguments: ["", "1", "both", "9"])
  func both(typed: String) throws {
    #expect(try complete(answering: typed).contains("Both are kept."))
    #expect(try lengths() == [600, 720])
  }

  @Test("the other one is taken away, and an undo brings it back")
  func removed() throws {
    #expect(try complete(answering: "2").contains("\(first) is gone."))
    #expect(try lengths() == [720])
    #expect(try atrest("undo").code == 0)
    #expect(try lengths() == [600, 720])
  }

  @Test("this one is shortened to where the other ended, and an undo brings its time back")
  func shortened() throws {
    #expect(try complete(answering: "3").contains("Corrected."))
    #expect(try lengths() == [480, 600])
    #expect(try atrest("undo").code == 0)
    #expect(try lengths() == [600, 720])
  }

  @Test("who corrects a fast is asked as well, and what lies inside cannot be shortened")
  func edited() throws {
    #expect(try atrest("fast", "complete", "--at", "2h ago", "--json").code == 0)
    let asking = try atrest.dialogue(
      "sessions", "edit", second, "--start", "19h ago", "--end", "12h ago")
    try asking.read(until: "1 or 2:")
    try asking.type("3")
    #expect(try asking.end() == 0)
    #expect(try lengths() == [420, 600])
  }

  @Test("a script is asked nothing: the commands are named that correct it")
  func script() throws {
    let words = try atrest("fast", "complete", "--at", "2h ago").out
    #expect(words.contains("`atrest sessions delete \(first)` takes that one away"))
    #expect(try lengths() == [600, 720])
  }
}
