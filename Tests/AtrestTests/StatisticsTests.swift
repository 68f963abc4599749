// SPDX-License-Identifier: Apache-2.0
// `atrest statistics`: its text on wide and narrow terminals, and for programs.

import AtrestCommandLine
import AtrestDomain
import Foundation
import Testing

@testable import atrest

@Suite("Statistics of fasts", .timeLimit(.minutes(20)))
struct StatisticsTests {
  private let statistics = FastStatistics(
    [
      ("2026-11-19T20:00:00Z", "2026-11-20T16:00:00Z", 18),
      ("2026-11-18T19:00:00Z", "2026-11-19T11:30:00Z", 16),
      ("2026-10-10T19:00:00Z", "2026-10-11T09:00:00Z", 16),
    ].enumerated().compactMap { index, fast in
      CalendarEntry(
        Session(
          id: Fixture.id("3F2A0000-0000-4000-8000-00000000000\(index)"),
          span: Fixture.span(fast.0, fast.1), targetMinutes: fast.2 * 60))
    }, in: Fixture.berlin)

  private func text(months: Int = 12, columns: Int) -> String {
    StatisticsView.text(statistics, months: months, Fixture.context, .plain, columns)
  }

  @Test("counts, sums and the longest, by month and by target", arguments: [40, 80])
  func wide(columns: Int) {
    let text = text(columns: columns)
    #expect(
      text == """
        3 fasts, 50h 30m in all.
        The longest took 20h, until yesterday 17:00.

        MONTH          FASTS  IN ALL   LONGEST
        November 2026  2      36h 30m  20h
        October 2026   1      14h      14h

        TARGET  FASTS  IN ALL   LONGEST
        16h     2      30h 30m  16h 30m
        18h     1      20h      20h
        """)
    #expect(WordPolicy.allows(text))
  }

  @Test("where there is no room for a table its rows are stacked")
  func narrow() {
    #expect(text(columns: 30).contains("November 2026\n  fasts    2\n  in all   36h 30m\n"))
  }

  @Test("months beyond those asked for are named by their number, and their fasts counted")
  func months() {
    let text = text(months: 1, columns: 80)
    #expect(text.hasPrefix("3 fasts,") && !text.contains("October"))
    #expect(text.contains("1 more: `--months 2` shows them all."))
  }

  @Test("the program answers people and programs, of nothing too")
  func program() throws {
    let atrest = try Binary()
    #expect(try atrest("statistics").out == "Nothing here yet.\n")
    let row = try #require(try atrest("statistics", "--json").json() as? [String: Any])
    #expect((row["all"] as? [String: Int]) == ["fasts": 0, "minutes": 0])
    #expect((row["months"] as? [Any])?.isEmpty == true)
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
    try atrest("fast", "start", "--at", "20h ago")
    try atrest("fast", "complete", "--at", "4h ago")
    let one = try #require(try atrest("statistics", "--json").json() as? [String: Any])
    #expect((one["all"] as? [String: Any])?["minutes"] as? Int == 960)
    #expect(try atrest("statistics", "--months", "0").code == 64)
  }
}
