// SPDX-License-Identifier: Apache-2.0
// A person's own line for a prompt.

import AtrestCommandLine
import AtrestDomain
import Foundation
import Testing

@testable import AtrestCompanion
@testable import atrest

@Suite("A line of one's own", .timeLimit(.minutes(20)))
struct NowTemplateTests {
  private var fasting: Snapshot {
    var snapshot = Snapshot()
    snapshot.open = [Fixture.active]
    snapshot.water = [Fixture.glass]
    snapshot.waiting = 2
    return snapshot
  }

  @Test(
    "fields take their places during a fast",
    arguments: [
      ("{state}", "fasting"), ("{elapsed} of {target}", "16h 0m of 18h"),
      ("{hours}:{minutes}", "16:00"), ("{since}", "yesterday 22:30"),
      ("{milestone}", "extended fast"), ("{water}, {waiting}", "250 ml, 2"),
      ("#[fg=green]{{{hours}}} 100%", "#[fg=green]{16} 100%"), ("", ""),
    ])
  func fields(template: String, line: String) throws {
    #expect(try NowTemplate(template).text(fasting, Fixture.context) == line)
  }

  @Test("between fasts there is nothing of a fast")
  func idle() throws {
    let all = NowTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: "|")
    #expect(try NowTemplate(all).text(.empty, Fixture.context) == "idle|||||||0 ml|0")
  }

  @Test(
    "what is no template is refused, and its field named",
    arguments: [
      ("{elapsd}", "{elapsd}"), ("{", "brace"), ("}", "brace"), ("{{}", "brace"), ("a{b", "brace"),
      ("two\nlines", "one line"), (String(repeating: "a", count: 1001), "1000 bytes"),
      ("{\u{1B}[2J}", "{�[2J}"),
    ])
  func refused(template: String, words: String) {
    let error = #expect(throws: CommandFailure.self) { try NowTemplate(template) }
    #expect(error?.status == .usage && error?.sentence.contains(words) == true)
  }

  @Test("the program writes it, before and during a fast, and changes nothing")
  func program() throws {
    let atrest = try Binary()
    let line = { try atrest("now", "--format", "{target}", "--idle", "{water} today") }
    #expect(try line().out == "0 ml today\n")
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
    try atrest("fast", "start", "17h")
    #expect(try line().out == "17h\n")
    try atrest("fast", "abandon")
    #expect(try atrest("now", "--format", "{target}").out == "\n")
    #expect(try atrest("now", "--format", "{target}", "--json").code == 64)
    #expect(try atrest("now", "--idle", "x").code == 64)
  }
}
