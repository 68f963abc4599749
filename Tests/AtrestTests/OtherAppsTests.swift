// SPDX-License-Identifier: Apache-2.0
// `atrest import` of what other apps write, as people and scripts run it.

import Foundation
import Testing

@Suite("Other apps' files", .timeLimit(.minutes(20)))
struct OtherAppsTests {
  private let atrest: Binary

  init() throws { atrest = try Binary() }

  /// Writes a file into the program's home.
  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let url = atrest.home.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    return url.path
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try file(name, Array(text.utf8))
  }

  /// The fasts that are here, latest first.
  private func fasts() throws -> [[String: Any]] {
    try #require(try atrest("sessions", "list", "--all", "--json").json() as? [[String: Any]])
  }

  private static let night = "start,end\n2026-05-01 20:00,2026-05-02 12:00\n"

  @Test(
    "a file that is no history is named as what it is, with what to do",
    arguments: [
      ("easyfast.zip", Array("PK\u{3}\u{4}\u{14}\0fasts.json".utf8), "This is an archive"),
      ("fasts.csv.gz", [0x1F, 0x8B, 8, 0, 0], "This is an archive"),
      (
        "fasts.xlsx", Array("PK\u{3}\u{4}\u{14}\0[Content_Types].xml\0xl/workbook.xml".utf8),
        "This is a workbook of a spreadsheet program"
      ),
      (
        "fasts.ics", Array("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n".utf8),
        "This is an iCalendar file"
      ),
      (
        "health.xml",
        Array("<?xml version=\"1.0\"?>\n<!DOCTYPE HealthData [\n]>\n<HealthData/>".utf8),
        "This is an export of Apple Health"
      ),
      ("other.xml", Array("<?xml version=\"1.0\"?>\n<plist/>".utf8), "This is an XML file"),
      ("page.html", Array("\n<!doctype html>\n<html></html>".utf8), "This is a web page"),
      ("fasts.pdf", Array("%PDF-1.7\n".utf8), "This is a PDF"),
      ("fasts.db", Array("SQLite format 3\0".utf8), "This is a database"),
      ("screen.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "This is a picture"),
    ] as [(String, [UInt8], String)])
  func named(name: String, bytes: [UInt8], words: String) throws {
    let answer = try atrest("import", try file(name, bytes), "--yes")
    #expect(answer.code == 65 && answer.err.hasPrefix(words), "\(answer.err)")
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
  }

  @Test(
    "the fasts of other apps' JSON are read like rows",
    arguments: [
      (
        "EasyFast", #"[{"start": 1777658400000, "finish": 1777716000000, "notes": "so, so"}]"#,
        "2026-05-01T18:00:00Z", 1080
      ),
      (
        "Sunrise",
        #"[{"targetInterval": 57600, "mood": 0, "startDate": 761850000, "endDate": 761907600.25}]"#,
        "2025-02-21T17:00:00Z", 960
      ),
      (
        "Zero",
        #"{"fast_data": [{"FastID": "6F1C", "StartDTM": "2026-05-01T18:00:00Z", "#
          + #""EndDTM": "2026-05-02T10:00:00Z", "GoalHours": 18, "IsEnded": true}, "#
          + #"{"FastID": "6F1D", "StartDTM": "2026-05-02T18:00:00Z", "EndDTM": null, "#
          + #""GoalHours": 16, "IsEnded": false}], "weights": [{"kg": 70.5}], "version": 3}"#,
        "2026-05-01T18:00:00Z", 1080
      ),
    ])
  func otherJSON(app: String, text: String, start: String, target: Int) throws {
    try atrest("settings", "set", "target", "18h")
    let path = try file("fasts.json", text)
    let look = try atrest("import", path, "--dry-run")
    #expect(look.code == 0 && look.out.hasPrefix("A history of another app.\n"), "\(look.err)")
    let answer = try atrest("import", path, "--yes", "--json")
    let row = try #require(try answer.json() as? [String: Any])
    #expect(row["format"] as? String == "json")
    let skipped = try #require(row["skipped"] as? [[String: Any]])
    #expect(skipped.map { $0["entry"] as? Int } == (app == "Zero" ? [2] : []))
    let fasts = try fasts()
    #expect(fasts.map { $0["start"] as? String } == [start])
    #expect(fasts.first?["elapsed_minutes"] as? Int == 960)
    #expect(fasts.first?["target_minutes"] as? Int == target)
    #expect(try atrest("import", path, "--yes").out.contains("Nothing here would change."))
  }

  @Test("fasts without a target get the person's own, and the preview says which")
  func usualTarget() throws {
    let path = try file("night.csv", Self.night)
    #expect(
      try atrest("import", path, "--dry-run").out
        .contains("\nTarget, where the file has none: 16h, your usual one.\n"))
    try atrest("settings", "set", "target", "18h")
    let said = try atrest("import", path, "--dry-run", "--target", "20h")
    #expect(said.out.contains("\nTarget, where the file has none: 20h.\n"))
    let done = try atrest("import", path, "--yes")
    #expect(done.out.contains("\nTarget, where the file has none: 18h, your usual one.\n"))
    #expect(try fasts().map { $0["target_minutes"] as? Int } == [1080])
    let whole = try file("whole.csv", "start,end,goal\n2026-05-03 20:00,2026-05-04 12:00,14\n")
    #expect(!(try atrest("import", whole, "--dry-run").out.contains("Target, where")))
  }

  @Test("an import that was undone can be done again; what a person deleted stays deleted")
  func again() throws {
    let path = try file("night.csv", Self.night)
    for _ in 0..<2 {
      #expect(try atrest("import", path, "--yes").out.contains("Brought in: 1 added."))
      #expect(try atrest("undo").code == 0)
      #expect(try fasts().isEmpty)
    }
    #expect(try atrest("import", path, "--yes").out.contains("Brought in: 1 added."))
    let id = try #require(try fasts().first?["id"] as? String)
    try atrest("sessions", "delete", id)
    #expect(try atrest("import", path, "--yes").out.contains("1 fast: 1 deleted here."))
    // Taking back a return that `--prefer-file` forced leaves what the person had deleted.
    try atrest("import", path, "--yes", "--prefer-file")
    #expect(try fasts().count == 1)
    try atrest("undo")
    #expect(try atrest("import", path, "--yes").out.contains("1 fast: 1 deleted here."))
  }

  @Test("standard input, a pipe and a named pipe are read like files")
  func pipes() throws {
    let answer = try atrest.start(["import", "-", "--yes"], typing: Self.night).wait()
    #expect(answer.code == 0 && answer.out.contains("Brought in: 1 added."), "\(answer.err)")
    let device = try atrest.start(["import", "/dev/stdin", "--dry-run"], typing: Self.night).wait()
    #expect(device.code == 0 && device.out.contains("1 here already"), "\(device.err)")
    let fifo = atrest.home.appendingPathComponent("fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    let running = try atrest.start(["import", fifo, "--dry-run"])
    let writer = try #require(FileHandle(forWritingAtPath: fifo))
    try writer.write(contentsOf: Data(Self.night.utf8))
    try writer.close()
    let named = running.wait()
    #expect(named.code == 0 && named.out.contains("1 here already"), "\(named.err)")
    // Nobody can be asked where standard input is the file.
    let asked = try atrest.start(["import", "-"], typing: Self.night + "\n2026-05-03 20:00,\n")
      .wait()
    #expect(asked.code == 0 && asked.out.contains("Nothing here would change."))
    let endless = try atrest("import", "/dev/zero", "--yes")
    #expect(endless.code == 65 && endless.err.contains("64 MiB"), "\(endless.err)")
    let folder = try atrest("import", atrest.home.path, "--yes")
    #expect(folder.code == 65 && folder.err.contains("cannot be read"), "\(folder.err)")
  }
}
