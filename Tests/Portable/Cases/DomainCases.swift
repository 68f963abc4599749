// SPDX-License-Identifier: Apache-2.0
// Times, words, trees and months of the domain.

import AtrestDomain
import AtrestReplication

extension PortableCase {
  static func texts() -> [PortableCase] {
    let hours: [Int64] = [-1, 0, 4, 8, 12, 16, 24]
    return [
      PortableCase(
        "milestones by hour",
        hours.map {
          Milestone(elapsedMilliseconds: $0 * Milliseconds.perHour)?.rawValue ?? "none"
        }.joined(separator: " "),
        "none digestion_completing beginning_to_shift metabolic_transition deeper_rhythm "
          + "extended_fast prolonged_fast"),
      PortableCase(
        "lengths",
        [0, 59_999, 45_000_000, 57_600_000, 1_000_000_000_000].map {
          DurationText.text(milliseconds: $0)
        }.joined(separator: " "), "0m 0m 12h 30m 16h 277777h 46m"),
      PortableCase(
        "amounts",
        AmountText.text(millilitres: 1_234_567) + ", "
          + AmountText.text(millilitres: 20_000, unit: .fluidOunces), "1234567 ml, 676.3 fl oz"),
      PortableCase(
        "typed amounts",
        ["250", "0.5l", "8 oz", "999999l", "1.2345l"].map {
          (try? Typed.millilitres($0)).map { "\($0)" } ?? "none"
        }.joined(separator: " "), "250 500 237 999999000 none"),
      PortableCase(
        "targets", "\(TargetPreference.minutes("16.5")) " + TargetPreference.value(minutes: 1000),
        "990 16.666666666666668"),
      PortableCase(
        "words", Word.forestTreeEstablishedA11y.text("ochre", "21 Nov 2026"),
        "A tree in ochre, for the fast of 21 Nov 2026"),
      PortableCase(
        "banned phrases", WordPolicy.findings(in: "Don\u{2019}t  STOP now, Unlock").joined(),
        "don't stop nowunlock"),
      PortableCase(
        "ids", RecordUUID(uuidString: "3f2a0000-0000-4000-8000-00000000000b")?.uuidString ?? "none",
        "3F2A0000-0000-4000-8000-00000000000B"),
      PortableCase(
        "a day of water that 32 bits do not hold", "\(min(flood(), 2_147_483_647))", "2147483647"),
      PortableCase(
        "Scripture of a milestone",
        Vigil.addition(to: .deeperRhythm).scripture.citation, "Psalm 46"),
    ]
  }

  /// The total of 120,000 entries on one day.
  private static func flood() -> Int {
    guard let id = RecordUUID(bytes: [UInt8](repeating: 1, count: 16)),
      let intake = WaterEntry.Intake(at: .epoch, millilitres: 20_000)
    else { return 0 }
    let entries = repeatElement(WaterEntry(id: id, intake: intake), count: 120_000)
    return WaterDay.total(of: entries, onDayOf: .epoch, in: .utc)
  }

  /// The clocks of Berlin in 2026.
  private static let berlin = ZoneOffsets(
    first: 3600,
    transitions: [
      ZoneOffsets.Transition(second: 1_774_746_000, offset: 7200),
      ZoneOffsets.Transition(second: 1_792_890_000, offset: 3600),
    ])

  static func localTimes() -> [PortableCase] {
    let now = WallTime(milliseconds: 1_795_267_800_000)  // 21 November 2026, 13:30 UTC.
    let zone = berlin ?? .utc
    func typed(_ text: String) -> String {
      do throws(InputProblem) {
        return TimeText.iso(try Typed.time(text, now: now, in: zone))
      } catch {
        return error == .skippedTime ? "skipped" : "no time"
      }
    }
    return [
      PortableCase("a local time", typed("2026-07-01 22:30:15"), "2026-07-01T20:30:15Z"),
      PortableCase("before a gap", typed("2026-03-29T01:59"), "2026-03-29T00:59:00Z"),
      PortableCase("in a gap", typed("2026-03-29T02:30"), "skipped"),
      PortableCase("after a gap", typed("2026-03-29T03:00"), "2026-03-29T01:00:00Z"),
      PortableCase("in an overlap, the first", typed("2026-10-25T02:30"), "2026-10-25T00:30:00Z"),
      PortableCase("the second", typed("2026-10-25T02:30+01:00"), "2026-10-25T01:30:00Z"),
      PortableCase(
        "milliseconds", typed("2026-11-21t10:00:00.25z"), "2026-11-21T10:00:00.250Z"),
      PortableCase("the last year", typed("6429-10-17T02:45Z"), "6429-10-17T02:45:00Z"),
      PortableCase("no time", typed("2026-02-29T10:00"), "no time"),
      PortableCase(
        "near", TimeText.near(now.advanced(by: -16 * Milliseconds.perHour), now: now, in: zone),
        "yesterday 22:30"),
    ]
  }

  static func trees() -> [PortableCase] {
    let ids = [
      "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "9B2D7F64-52C1-4F0E-8A3B-1D6C0E5F7A90",
    ]
    let found = ids.compactMap { RecordUUID(uuidString: $0) }.map { id in
      let character = TreeCharacter(id: id)
      return "\(Hexadecimal.encoded(StableHash.hash(of: id))) \(character.variant) "
        + "\(character.tone)"
    }
    return [
      PortableCase(
        "forms and colours of trees", found.joined(separator: ", "),
        "88201fb960ff6465 3 4, d6607508f5a1e855 3 0, db5e9644f784f521 7 2, 1710f4fc13aa2685 5 0")
    ]
  }

  static func calendars() -> [PortableCase] {
    [
      month(
        2026, 11, first: .monday,
        "Mon Tue Wed Thu Fri Sat Sun | - - - - - - 1 | 2 3 4 5 6 7 8 | 9 10 11 12 13 14 15 | "
          + "16 17 18 19 20 21 22 | 23 24 25 26 27 28 29 | 30 - - - - - -"),
      month(
        2024, 2, first: .sunday,
        "Sun Mon Tue Wed Thu Fri Sat | - - - - 1 2 3 | 4 5 6 7 8 9 10 | 11 12 13 14 15 16 17 | "
          + "18 19 20 21 22 23 24 | 25 26 27 28 29 - -"),
    ]
  }

  private static func month(
    _ year: Int, _ month: Int, first: Weekday, _ expected: String
  ) -> PortableCase {
    let name = "\(year)-\(month)"
    guard let month = LocalMonth(year: year, month: month) else {
      return PortableCase(name, "no month", expected)
    }
    let grid = MonthGrid(
      month: month, entries: [], now: .epoch, in: .utc, firstWeekday: first)
    let rows =
      [grid.weekdays.map { $0.shortName }]
      + grid.weeks.map { week in week.map { day in day.map { "\($0.number)" } ?? "-" } }
    return PortableCase(
      name, rows.map { $0.joined(separator: " ") }.joined(separator: " | "), expected)
  }
}
