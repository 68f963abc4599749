// SPDX-License-Identifier: Apache-2.0
// Counts and sums of fasts.

import AtrestReplication
import Testing

@testable import AtrestDomain

@Suite("Statistics", .timeLimit(.minutes(20)))
struct FastStatisticsTests {
  private func entries(_ fasts: [(end: String, hours: Int, target: Int)]) -> [CalendarEntry] {
    fasts.enumerated().reversed().compactMap { index, fast in
      let end = instant(fast.end)
      let start = end.advanced(by: -Int64(fast.hours) * Milliseconds.perHour)
      let id = RecordUUID(bytes: [UInt8](repeating: UInt8(index + 1), count: 16))
      guard let id, let span = Session.Span(start: start, end: end, outcome: .completed) else {
        return nil
      }
      return CalendarEntry(Session(id: id, span: span, targetMinutes: fast.target * 60))
    }
  }

  @Test("fasts are counted and summed, by the month in which they ended and by target")
  func sums() {
    let entries = entries([
      ("2026-10-31T22:30:00Z", 18, 16), ("2026-10-31T23:30:00Z", 15, 16),
      ("2026-11-20T10:00:00Z", 20, 18), ("2026-11-22T10:00:00Z", 20, 16),
    ])
    let statistics = FastStatistics(entries, in: Zones.berlin)
    #expect(statistics.all.count == 4)
    #expect(statistics.all.milliseconds == 73 * Milliseconds.perHour)
    // Of two equally long ones, the newest.
    #expect(statistics.all.longest?.date == instant("2026-11-22T10:00:00Z"))

    // Half past eleven in UTC is the next day, and month, in Berlin.
    #expect(statistics.months.map(\.month.iso) == ["2026-11", "2026-10"])
    #expect(statistics.months.map(\.sum.count) == [3, 1])
    #expect(statistics.months.last?.sum.milliseconds == 18 * Milliseconds.perHour)

    #expect(statistics.targets.map(\.minutes) == [960, 1080])
    #expect(statistics.targets.map(\.sum.count) == [3, 1])
    #expect(
      statistics.targets.map(\.sum.longest?.durationMilliseconds) == [72_000_000, 72_000_000])
  }

  @Test("of nothing there is nothing")
  func empty() {
    let statistics = FastStatistics([], in: Zones.berlin)
    #expect(statistics.all.count == 0 && statistics.all.longest == nil)
    #expect(statistics.months.isEmpty && statistics.targets.isEmpty)
  }
}
