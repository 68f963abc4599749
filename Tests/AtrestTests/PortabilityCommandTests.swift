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
