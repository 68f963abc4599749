// SPDX-License-Identifier: Apache-2.0
// `atrest import`, `export` and `completions` as people and scripts run them.

import Foundation
import Testing

@testable import atrest

@Suite("Files that people carry", .timeLimit(.minutes(20)))
struct PortabilityCommandTests {
  private static let examples = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Import")

  private func example(_ name: String) -> String {
    Self.examples.appendingPathComponent(name).path
  }

  @Test("a look changes nothing, and makes no replica")
  func look() throws {
    let binary = try Binary()
    let answer = try binary.start(["import", example("atrest-export.json"), "--dry-run"]).wait()
    #expect(answer.code == 0)
    #expect(answer.out.contains("12 fasts: 12 new."))
    #expect(!FileManager.default.fileExists(atPath: binary.replica.path))
  }

  @Test("where nobody can be asked, nothing is brought in without a word to do so")
  func unasked() throws {
    let binary = try Binary()
    let answer = try binary.start(
      ["import", example("atrest-export.json")], typing: "y\n"
    ).wait()
    #expect(answer.code == 64)
    #expect(answer.err.contains("--yes"))
    #expect(!FileManager.default.fileExists(atPath: binary.replica.path))
  }

  @Test("what was brought in is exported, and comes back into an empty replica as it was")
  func roundTrip() throws {
    let binary = try Binary()
    for name in ["atrest-export.json", "water-log.json", "session-state.json"] {
      let answer = try binary.start(["import", example(name), "--yes"]).wait()
      #expect(answer.code == 0, "\(answer.err)")
    }
    let file = binary.home.appendingPathComponent("backup.jsonl")
    #expect(try binary.start(["export", file.path]).wait().code == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    // A second export does not overwrite the file.
    #expect(try binary.start(["export", file.path]).wait().code == 65)
    #expect(try binary.start(["export", file.path, "--force"]).wait().code == 0)

    let other = ["--replica", binary.home.appendingPathComponent("other").path]
    let answer = try binary.start(["import", file.path, "--yes", "--json"] + other).wait()
    let row = try #require(try answer.json() as? [String: Any])
    #expect((row["total"] as? [String: Int])?["new"] == 20)
    for listing in [
      ["sessions", "list", "--all", "--json"], ["water", "list", "--all", "--json"],
    ] {
      let (here, there) = (
        try binary.start(listing).wait().out, try binary.start(listing + other).wait().out
      )
      #expect(here == there && here.count > 100)
    }
    let again = try binary.start(["import", file.path, "--yes"] + other).wait()
    #expect(again.code == 0 && again.out.contains("Nothing here would change."))
  }

  private static let rows = """
    When;Till;Planned
    03/04/2026 19:00;04/04/2026 11:00;16
    05/04/2026 20:00;06/04/2026 12:00;18
    06/04/2026 10:00;06/04/2026 18:00;16
    07/04/2026 20:00;;16

    """

  /// A program's home with a file of rows in it.
  private func rows() throws -> (Binary, file: String) {
    let binary = try Binary()
    let file = binary.home.appendingPathComponent("history.csv")
    try Self.rows.write(to: file, atomically: true, encoding: .utf8)
    return (binary, file.path)
  }

  private static let told = [
    "--start-column", "when", "--end-column", "2", "--target-column", "planned", "--date-order",
    "dmy", "--zone", "UTC",
  ]

  @Test("rows of another app: scripts say what the columns are, and the same file adds nothing")
  func rowsByOptions() throws {
    let (binary, file) = try rows()
    let missing = try binary("import", file, "--yes")
    #expect(missing.code == 65 && missing.err.contains("`--start-column NAME`"))
    let columns = Array(Self.told.prefix(4))
    let ambiguous = try binary.start(["import", file, "--yes"] + columns).wait()
    #expect(ambiguous.code == 65 && ambiguous.err.contains("`--date-order dmy`"))
    #expect(!FileManager.default.fileExists(atPath: binary.replica.path))

    let look = try binary.start(["import", file, "--dry-run"] + Self.told).wait()
    #expect(
      look.out.hasPrefix(
        """
        A history of another app.
        Read: start from “When”, end from “Till”, target from “Planned”.
        Left out: 1 row.
          line 5: when it ended cannot be read
        Fasts of the file share time, and each would count: lines 3+4.
        From 3 Apr 2026, 21:00 to 6 Apr 2026, 20:00.
        3 fasts: 3 new.

        """), "\(look.out)")
    #expect(try binary.start(["import", file, "--yes"] + Self.told).wait().code == 0)
    let again = try binary.start(["import", file, "--yes", "--json"] + Self.told).wait()
    let row = try #require(try again.json() as? [String: Any])
    #expect((row["total"] as? [String: Int])?["known"] == 3)
    let skipped = try #require(row["skipped"] as? [[String: Any]])
    #expect(skipped.count == 1 && skipped[0]["line"] as? Int == 5)
    #expect(skipped[0]["reason"] as? String == "no_end")

    let list = try #require(try binary("history", "--json").json() as? [[String: Any]])
    #expect(list.map { $0["target_minutes"] as? Int } == [960, 1080, 960])
    // The same nights two hours earlier share time with those that are here.
    let shifted = Self.told.dropLast() + ["Europe/Berlin"]
    let other = try binary.start(["import", file, "--dry-run"] + shifted).wait()
    #expect(other.out.contains("3 fasts would share time with one that is here"))
    let none = try binary.start(["import", file, "--yes", "--skip-overlaps"] + shifted).wait()
    #expect(none.code == 0 && none.out.contains("it shares time with a fast that is here"))
    #expect(try binary("import", example("water-log.json"), "--zone", "UTC").code == 64)
  }

  @Test("rows of another app: a person is asked for what the file does not tell")
  func rowsByQuestions() throws {
    let (binary, file) = try rows()
    let dialogue = try binary.dialogue("import", file)
    try dialogue.read(until: "1  When, such as 03/04/2026 19:00")
    try dialogue.read(until: "when a fast began? Its name or number:")
    try dialogue.type("1")
    try dialogue.read(until: "or nothing if there is none:")
    try dialogue.type("till")
    try dialogue.read(until: "Day first or month first? [d/m]")
    try dialogue.type("d")
    try dialogue.read(until: "3 fasts: 3 new.")
    try dialogue.read(until: "Bring it in? [y/N]")
    try dialogue.type("y")
    try dialogue.read(until: "Brought in: 3 added.")
    #expect(try dialogue.end() == 0)
  }

  @Test("a device of an account syncs first, so what was deleted elsewhere does not come back")
  func syncsFirst() throws {
    let phone: Binary
    let tablet: Binary
    let file: String
    do {
      let household = try Household()
      phone = try household.companion()
      tablet = try household.companion("tablet", isFirst: false)
      _ = try phone.start(["import", example("water-log.json"), "--yes"]).wait()
      try phone("sync")
      file = phone.home.appendingPathComponent("backup.jsonl").path
      try phone("export", file)
      let rows = try #require(
        try phone("water", "list", "--all", "--json").json() as? [[String: Any]])
      let id = try #require(rows.first?["id"] as? String)
      #expect(try phone("water", "delete", id).code == 0)
      try phone("sync")

      let look = try tablet("import", file, "--dry-run")
      #expect(look.code == 0 && look.out.contains("this device syncs first"), "\(look.out)")
      let answer = try tablet("import", file, "--yes", "--json")
      let row = try #require(try answer.json() as? [String: Any])
      #expect((row["total"] as? [String: Int])?["deleted_here"] == 1, "\(answer.out)")
      #expect((row["total"] as? [String: Int])?["new"] == 0)
      withExtendedLifetime(household) {}
    }
    // The server is gone. The program says so, and the person decides.
    try tablet("water", "add", "300")
    let alone = try tablet("import", example("atrest-export.json"), "--yes")
    #expect(alone.code == 0 && alone.out.contains("could not sync first"), "\(alone.out)")
    #expect(alone.out.hasSuffix("The next sync takes it to your other devices.\n"))
  }

  @Test("a device without an account is told to pair first if it is going to, and of no others")
  func pairsFirst() throws {
    let binary = try Binary()
    let answer = try binary("import", example("atrest-export.json"), "--dry-run")
    #expect(answer.out.contains("pair and sync it first"))
    let done = try binary("import", example("atrest-export.json"), "--yes")
    #expect(done.out.hasSuffix("\nBrought in: 12 added.\n"), "\(done.out)")
  }

  @Test("standard output is the file itself, and nothing is left where writing fails")
  func streams() throws {
    let binary = try Binary()
    _ = try binary.start(["import", example("water-log.json"), "--yes"]).wait()
    let answer = try binary.start(["export"]).wait()
    #expect(answer.out.hasPrefix("{\"format\":\"atrest-sync\""))
    #expect(try binary.start(["export", "-", "--json"]).wait().code == 64)
    let folder = binary.home.appendingPathComponent("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let refused = try binary.start(["export", folder.path, "--force"]).wait()
    #expect(refused.code == 65 && refused.err.contains("is a folder"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("a file that is none of ours is refused in one sentence, and nothing of it is shown")
  func refused() throws {
    let binary = try Binary()
    let file = binary.home.appendingPathComponent("secret.json")
    try Data(#"{"version":1,"secret":"hush"}"#.utf8).write(to: file)
    let answer = try binary.start(["import", file.path, "--yes"]).wait()
    #expect(answer.code == 65)
    #expect(!answer.err.contains("hush") && answer.out.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: binary.replica.path))
  }

  @Test("a replica that is not there is not exported as an empty one")
  func nothing() throws {
    let binary = try Binary()
    let answer = try binary.start(["export", "out.jsonl"]).wait()
    #expect(answer.code == 65)
    #expect(!FileManager.default.fileExists(atPath: binary.replica.path))
  }

  @Test("each shell gets completions that name the commands", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let answer = try Binary().start(["completions", shell]).wait()
    #expect(answer.code == 0)
    for word in ["import", "export", "water", "quick-add", "abandoned"] {
      #expect(answer.out.contains(word), "\(word)")
    }
  }

  @Test("what a setting may be is offered once it is named")
  func settings() throws {
    func offered(_ setting: String) throws -> [Substring] {
      try Binary().start([
        "---completion", "settings", "set", "--", "positional@1", "4", "0",
        "atrest", "settings", "set", setting, "",
      ]).wait().out.split(separator: "\n")
    }
    #expect(try offered("unit") == ["ml", "oz"] && offered("vigil") == ["on", "off"])
    #expect(try offered("quick-add").first == "150ml" && offered("colour").isEmpty)
  }
}
