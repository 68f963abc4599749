// SPDX-License-Identifier: Apache-2.0
// Adding and correcting afterwards, as people and scripts do it.

import Foundation
import Testing

@Suite("Adding and correcting afterwards", .timeLimit(.minutes(20)))
struct CorrectionTests {
  private let atrest: Binary

  init() throws { atrest = try Binary() }

  private func fasts() throws -> [[String: Any]] {
    try #require(try atrest("sessions", "list", "--all", "--json").json() as? [[String: Any]])
  }

  @Test("a fast that is over can be added while another goes on, and be taken back")
  func add() throws {
    try atrest("fast", "start", "--at", "2h ago")
    try atrest("settings", "set", "target", "18h")
    let answer = try atrest(
      "sessions", "add", "--start", "2026-05-01 20:00", "--end", "2026-05-02 12:00")
    #expect(answer.code == 0 && answer.out.hasPrefix("Noted.\n"), "\(answer.err)")
    let rows = try fasts()
    #expect(rows.map { $0["outcome"] as? String } == ["active", "completed"])
    #expect(rows.last?["target_minutes"] as? Int == 1080)
    for (start, end) in [
      ("2026-05-02 12:00", "2026-05-01 20:00"), ("2026-05-01 20:00", "2026-05-30 20:00"),
      ("1h ago", "2099-01-01 12:00"),
    ] {
      #expect(try atrest("sessions", "add", "--start", start, "--end", end).code == 65)
    }
    let crossing = try atrest(
      "sessions", "add", "--start", "2026-05-02 10:00", "--end", "2026-05-02 20:00", "--target",
      "8h")
    #expect(crossing.out.contains("share"), "\(crossing.out)")
    #expect(try atrest("undo").out.contains("is taken away"))
    #expect(try fasts().count == 2)
  }

  @Test("an amount can be corrected where the drink's time has not come by this device's clock")
  func amountAlone() throws {
    let file = atrest.home.appendingPathComponent("backup.jsonl")
    let backup = """
      {"format":"atrest-sync","made_at":"2026-11-26T17:38:58.083Z","program":"0.1.0","records":{"water":1},"version":1}
      {"id":"afa0343c-145f-4c0c-a7da-85afab781fe3","intake":{"at":"2099-01-01T12:00:00Z","millilitres":250},"kind":"water"}
      {"count":1,"sha256":"b8ea7723538e4ba86b9d0debf084e4f3964e747cde0760c063602eb84d8cdf0e"}

      """
    try backup.write(to: file, atomically: true, encoding: .utf8)
    #expect(try atrest("import", file.path, "--yes").code == 0)
    let answer = try atrest("water", "edit", "afa0", "--amount", "300ml")
    #expect(answer.code == 0 && answer.out.contains("300 ml"), "\(answer.err)")
    #expect(try atrest("water", "edit", "afa0", "--at", "2099-01-01 12:00").code == 65)
  }
}
