// SPDX-License-Identifier: Apache-2.0
// `atrest-lab` as people and scripts run it: texts, exit codes, JSON.

import AtrestCommandLine
import AtrestTestSupport
import Foundation
import Testing

@Suite("atrest-lab", .timeLimit(.minutes(20)))
struct CommandTests {
  private func lab(_ arguments: String...) throws -> EndedProgram {
    // The test runner is in the same directory as the package's programs.
    let runner = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = runner.deletingLastPathComponent()
    while !FileManager.default.isExecutableFile(
      atPath: folder.appendingPathComponent("atrest-lab").path)
    {
      try #require(folder.path != "/", "the program was not built beside the tests")
      folder.deleteLastPathComponent()
    }
    return try EndedProgram(folder.appendingPathComponent("atrest-lab").path, arguments)
  }

  /// Calls `body` with a temporary file.
  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("lab-\(UUID().uuidString).yaml")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try body(url.path)
  }

  private func shipped(_ name: String) -> String {
    Scenarios.folder.appendingPathComponent(name).path
  }

  @Test("run exits with 0 where all is as expected")
  func holds() throws {
    let answer = try lab("run", shipped("same-fast-twice.yaml"))
    #expect(answer.code == 0)
    #expect(answer.out.contains("Everything is as expected"))
    #expect(answer.out.contains("set aside  evening fast: target 18h (phone)"))
    #expect(answer.err.isEmpty)
    #expect(!answer.out.contains("\u{1B}"))
  }

  @Test("run exits with 1 where something is not, and says what on standard error")
  func differs() throws {
    try withFile(
      scenarioText("- phone: {drink: glass, amount: 250 ml}\n- expect: {waiting: 0}")
    ) { path in
      let answer = try lab("run", path)
      #expect(answer.code == 1)
      #expect(answer.err.contains("\(path):6: waiting writes on phone: expected 0, found 1"))
      let several = try lab("run", shipped("two-fasts-offline.yaml"), path)
      #expect(several.code == 1)
      #expect(several.out.contains("holds    ") && several.out.contains("differs  "))
    }
  }

  @Test("run exits with 65 for a file with a flaw, before anything is played")
  func flaw() throws {
    try withFile(scenarioText("- phone: {start: a, target: sixteen}")) { path in
      let answer = try lab("run", shipped("same-fast-twice.yaml"), path)
      #expect(answer.code == 65)
      #expect(answer.out.isEmpty)
      #expect(answer.err.hasPrefix("\(path):5: expected a duration such as 16h"))
    }
    #expect(try lab("run", "/nowhere.yaml").code == 65)
    let pipe = FileManager.default.temporaryDirectory
      .appendingPathComponent("lab-\(UUID().uuidString).yaml").path
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    // Opening the FIFO would block forever.
    #expect(try lab("run", pipe).code == 65)
    #expect(try lab("run").code == 64)
    #expect(
      try lab("run", "--pair", "nonsense", shipped("same-fast-twice.yaml")).code == 64)
  }

  @Test("run --json is one array, with what was set aside")
  func json() throws {
    let answer = try lab("run", "--json", shipped("same-fast-twice.yaml"))
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [[String: Any]])
    #expect(rows.count == 1)
    #expect(rows[0]["held"] as? Bool == true)
    let steps = try #require(rows[0]["steps"] as? [[String: Any]])
    let losses = steps.compactMap { $0["set_aside"] as? [[String: Any]] }.flatMap { $0 }
    #expect(losses.first?["value"] as? String == "target 18h")
    #expect(losses.first?["kept_by"] as? String == "tablet")
  }

  @Test("random tells its seed, and keeps a scenario that can be played")
  func random() throws {
    try withFile("") { path in
      let answer = try lab(
        "random", "--seed", "5", "--devices", "2", "--edits", "30", "--keep", path)
      #expect(answer.code == 0)
      #expect(answer.out.contains("Seed 5: 30 edits on 2 devices"))
      #expect(try lab("run", path).code == 0)
      let json = try lab(
        "random", "--seed", "5", "--devices", "2", "--edits", "30", "--json")
      let row = try #require(
        try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
      #expect(row["held"] as? Bool == true && row["seed"] as? Int == 5)
    }
    #expect(try lab("random", "--devices", "17").code == 64)
    #expect(try lab("random", "--edits", "0").code == 64)
    let negative = try lab("random", "--edits", "-3")
    #expect(negative.code == 64 && negative.err.contains("There are 1 to"))
  }

  @Test("help has an example for every command, and a mistyped one is told of")
  func help() throws {
    for command in ["run", "random"] {
      let help = try lab(command, "--help")
      #expect(help.code == 0 && help.out.contains("EXAMPLES:\n  atrest-lab \(command)"))
    }
    let mistyped = try lab("radom")
    #expect(mistyped.code == 64 && mistyped.out.isEmpty)
    #expect(mistyped.err.contains("Did you mean `atrest-lab random`?"))
  }
}
