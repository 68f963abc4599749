// SPDX-License-Identifier: Apache-2.0
// The project's scenarios pass, and a wrong one fails with a message.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import Foundation
import Synchronization
import Testing

@testable import AtrestLab
@testable import atrest_lab

/// The scenario files of the repository.
enum Scenarios {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Scenarios")

  static let files: [URL] =
    ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
    ?? []).filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }

  static func play(_ steps: String, devices: String = "[phone, tablet]") async throws -> Report {
    let scenario = try Scenario(
      parsing: scenarioText(steps, devices: devices), file: "x.yaml")
    return try await Player.play(scenario, file: "x.yaml")
  }
}

@Suite("A scenario", .timeLimit(.minutes(20)))
struct ScenarioTests {
  @Test("comes with the project a dozen times and more")
  func number() {
    #expect(Scenarios.files.count >= 12)
  }

  @Test("that comes with the project holds", arguments: Scenarios.files)
  func shipped(file: URL) async throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasPrefix("#"), "each begins with a few words on what it is about")
    let scenario = try Scenario(parsing: text, file: file.lastPathComponent)
    let report = try await Player.play(scenario, file: file.lastPathComponent)
    #expect(report.failureLines == [])
    #expect(report.checks >= 5)
    for line in report.text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
  }

  @Test("reads back from what is written of it")
  func written() throws {
    let text = """
      - phone: {start: "a \\"quoted\\" fast", target: 16h, began: 19:30}
      - phone: {complete: "a \\"quoted\\" fast", ended: 19:45}
      - phone: {drink: glass 1..3, amount: 250 ml}
      - tablet: {clock: 3d behind}
      - tablet: {clock: stuck at 1970-01-01T00:05}
      - back up: server
      - put back: server
      - back up: phone
      - put back: phone
      - copy: {from: phone, to: clone}
      - restart: server
      - offline: all
      - sync: [phone, clone]
        fails: offline
      - phone: {delete: glass 1..2}
      - phone: {edit: glass 3, amount: 300 ml, drunk: 19:00}
      - phone: {set: a key, to: "a: value"}
      - at: +400d
        phone: {bring back: glass 3, field: amount, from: tablet}
      - expect: {number of fasts: 1, number of waters: 2, journal: 0, waiting: 3, identical: no}
      """
    let scenario = try Scenario(parsing: scenarioText(text), file: "x.yaml")
    let again = try Scenario(parsing: scenario.text, file: "again.yaml")
    #expect(again.text == scenario.text)
    #expect(again.devices == scenario.devices)
    for (one, other) in zip(scenario.steps, again.steps) {
      #expect(one.at == other.at)
      if case .expect = one.action { continue }  // Contains lines.
      #expect(one.action == other.action)
    }
  }

  @Test("that expects something wrong says where, what was expected, and what was found")
  func wrong() async throws {
    let report = try await Scenarios.play(
      """
      - phone: {start: evening fast, target: 16h}
      - phone: {drink: glass, amount: 250 ml}
      - sync: phone
      - expect:
          fasts:
            evening fast: {target: 18h, outcome: completed}
          water:
            glass: gone
          journal: 2
          identical: yes
      """)
    #expect(!report.isHeld)
    let lines = report.failureLines
    #expect(
      lines.contains("x.yaml:10: “evening fast” on phone: target: expected 18h, found 16h"),
      "\(lines)")
    #expect(
      lines.contains(
        "x.yaml:10: “evening fast” on phone: outcome: expected completed, found active"))
    #expect(lines.contains("x.yaml:10: “evening fast” on tablet: expected it there, and it is not"))
    #expect(lines.contains("x.yaml:12: “glass” on phone: expected it gone, and it is there"))
    #expect(lines.contains("x.yaml:8: journal entries on tablet: expected 2, found 0"))
    #expect(
      lines.contains("x.yaml:8: the devices: expected them to be identical, and they differ"))
    #expect(report.text.contains("not as expected"))
  }

  @Test("compares the journal entry by entry")
  func journal() async throws {
    func report(_ entries: String) async throws -> Report {
      try await Scenarios.play(
        """
        - phone: {set: theme, to: dawn}
        - sync: [phone, tablet]
        - phone: {set: theme, to: noon}
        - tablet: {set: theme, to: dusk}
        - sync: [phone, tablet, phone]
        - expect: {journal: \(entries)}
        """)
    }
    let right = "{record: theme, field: value, set aside: noon, from: phone, kept: dusk}"
    #expect(try await report("[\(right)]").isHeld)
    #expect(try await report("1").isHeld)
    #expect(try await !report("0").isHeld)
    #expect(try await !report("[]").isHeld)
    #expect(try await !report("[\(right), \(right)]").isHeld)
    #expect(try await !report("[{record: theme, from: tablet}]").isHeld)
    #expect(try await !report("[{record: theme, won by: phone}]").isHeld)
    #expect(try await !report("[{record: theme, field: value, set aside: dusk}]").isHeld)
  }

  @Test("ends where a device cannot do what it asks, and says why")
  func impossible() async throws {
    let report = try await Scenarios.play(
      """
      - phone: {start: a}
      - tablet: {complete: a}
      - sync: all
      """)
    #expect(report.failureLines.count == 1)
    #expect(report.failureLines[0].contains("x.yaml:6: tablet cannot do that: “a” is not there."))
    #expect(report.steps.count == 2)
  }

  @Test("has devices without a network, whose failure to sync is no surprise, and may be expected")
  func offline() async throws {
    let report = try await Scenarios.play(
      """
      - offline: phone
      - phone: {drink: glass, amount: 250 ml}
      - sync: phone
      - sync: phone
        fails: offline
      - expect: {on: phone, waiting: 1}
      - sync: tablet
        fails: offline
      """)
    #expect(report.failureLines.count == 1)
    #expect(report.failureLines[0].hasPrefix("x.yaml:11: the sync of tablet: expected it to fail"))
  }

  @Test("is told to programs with what each device held before and after")
  func json() async throws {
    let scenario = try Scenario(
      parsing: scenarioText(
        """
        - phone: {drink: glass, amount: 250 ml}
        - sync: [phone, tablet]
        """), file: "x.yaml")
    let report = try await Player.play(scenario, file: "x.yaml", isVerbose: true)
    let data = try JSONEncoder().encode(ReportRow(report))
    let row = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let steps = try #require(row["steps"] as? [[String: Any]])
    #expect(steps.last?["before"] as? [String] == [])
    #expect(steps.last?["after"] as? [String] == ["glass: 250 ml, 2 Mar 20:00"])
    let devices = try #require(row["devices"] as? [[String: Any]])
    #expect(Set(devices.compactMap { $0["digest"] as? String }).count == 1)
  }

  @Test("leaves nothing behind")
  func folder() throws {
    var folder: LabFolder? = try LabFolder()
    let path = try #require(folder?.url.path)
    #expect(FileManager.default.fileExists(atPath: path))
    folder = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}

@Suite("A lab on a given server", .timeLimit(.minutes(20)))
struct GivenServerTests {
  /// Calls `body` with links to one account of a server with the real clock.
  private func withServer(
    _ body: (_ link: () async throws -> PairingLink) async throws -> Void
  ) async throws {
    let folder = try LabFolder()
    var server = try await LabServer(
      in: folder.url, now: { SystemClock().now() }, random: LabRandom(seed: 9))
    do {
      try await body { try await server.link() }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func scenario(_ steps: String) throws -> Scenario {
    try Scenario(parsing: scenarioText(steps), file: "x.yaml")
  }

  @Test("plays there, and not where records are already")
  func plays() async throws {
    try await withServer { link in
      let scenario = try scenario(
        """
        - phone: {start: a, target: 16h}
        - sync: [phone, tablet]
        - at: +2h
          phone: {edit: a, target: 18h}
        - at: +3h
          tablet: {edit: a, target: 14h}
        - sync: [tablet, phone, tablet]
        - expect: {fasts: {a: {target: 14h}}, journal: 1, identical: yes}
        """)
      let report = try await Player.play(scenario, file: "x.yaml", on: .given(link()))
      #expect(report.failureLines == [])
      let again = try await link()
      let error = await #expect(throws: LabError.self) {
        try await Player.play(scenario, file: "x.yaml", on: .given(again))
      }
      #expect(error?.userMessage.hasPrefix("x.yaml: that account holds records already") == true)
      // The device that detected it has lost its access.
      let folder = try LabFolder()
      let replica = try Replica(directory: folder.url.appendingPathComponent("own"))
      try await replica.pair(try await link(), name: "own")
      #expect(try await replica.devices().map { $0.revoked == nil } == [true, true, false, true])
    }
  }

  @Test("a step that cannot be played is named by file and line")
  func stopped() async throws {
    try await withServer { link in
      let scenario = try scenario(
        """
        - phone: {start: a, target: 16h}
        - sync: phone
        - pair: tablet
        """)
      var broken = scenario
      broken.devices[1].isPaired = false
      broken.steps[1].action = .wait
      let used = try await link()
      let folder = try LabFolder()
      let stranger = try Replica(directory: folder.url.appendingPathComponent("own"))
      try await stranger.pair(used, name: "own")
      broken.devices[0].isPaired = false
      let error = await #expect(throws: StepError.self) {
        try await Player.play(broken, file: "x.yaml", on: .given(used))
      }
      let stop = try #require(error)
      #expect(stop.line == 7)
      let failure = try #require(Lab.failure(of: stop))
      #expect(failure.sentence.hasPrefix("x.yaml:7: The server did not allow it."))
      #expect(failure.status == ExitStatus.notPermitted)
    }
  }

  @Test(
    "refuses steps that need the server's own clock, disk or process, before anything is played",
    arguments: ["- back up: server", "- restart: server", "- wait: 40d"])
  func refuses(step: String) async throws {
    let link = try PairingLink(parsing: "atrest://127.0.0.1:1/BCDF-GHJKLMNP")
    let scenario = try scenario("- sync: phone\n\(step)\n- sync: phone")
    let error = await #expect(throws: LabError.self) {
      try await Player.play(scenario, file: "x.yaml", on: .given(link))
    }
    #expect(error?.userMessage.contains("Leave `--pair` out") == true)
    // These scenarios have a header of four lines, and the error is in the second step.
    #expect(error?.userMessage.hasPrefix("x.yaml:6: ") == true)
  }
}
