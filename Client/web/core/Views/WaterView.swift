// SPDX-License-Identifier: Apache-2.0
// What the water screen lists: the drinks of the last days.

import AtrestDomain
import AtrestReplication
import AtrestSync

extension WebCore {
  /// Drinks within 28 hours of a time, which covers its day under any change of the clocks.
  func drinks(of work: Work, around now: WallTime) throws(CoreFailure) -> [WaterEntry] {
    let span = 28 * Milliseconds.perHour
    return try told { () throws(ReplicaError) in
      try work.listings.water(from: now.advanced(by: -span), before: now.advanced(by: span))
    }
  }

  func water(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let (now, zone) = (work.now, environment.zone)
    let settings = try settings(of: records)
    let days = try argument.number("days", 1...400) ?? 7
    let since = now.advanced(by: -(days + 1) * Milliseconds.perDay)
    let drinks = try told { () throws(ReplicaError) in
      try records.listings.water(from: since, before: now.advanced(by: Milliseconds.perDay))
    }
    let first = LocalDay(now, in: zone).number - Int(days) + 1
    let listed = WaterDay.days(of: drinks, in: zone).filter { $0.day.number >= first }
    let today = WaterDay.total(of: drinks, onDayOf: now, in: zone)
    let canUndo = try told { () throws(ReplicaError) in try records.canUndo(of: [.water]) }
    let total = AmountText.text(millilitres: today, unit: settings.waterUnit)
    return .members(
      ("total", .text(total)), ("spoken", .text(Word.waterTotalA11y.text(total))),
      ("header", .text(Word.waterInlineHeader.text)), ("canUndo", .bool(canUndo)),
      (
        "quickAdd",
        .array(
          quickAdds(settings).map {
            .members(("millilitres", .count($0)), ("text", amount($0, settings)))
          })
      ), ("empty", .text(Word.waterEmpty.text)), ("remove", .text(Word.waterRemove.text)),
      ("unit", .text(settings.waterUnit.rawValue)),
      ("days", .array(listed.map { day in self.day(day, settings) })))
  }

  /// The person's own amount first.
  private func quickAdds(_ settings: Settings) -> [Int] {
    [settings.quickAddMillilitres]
      + Settings.quickAddChoices.filter { $0 != settings.quickAddMillilitres }
  }

  private func day(_ day: WaterDay, _ settings: Settings) -> JSON {
    .members(
      ("day", .text(day.day.iso)), ("title", .text(TimeText.day(day.day))),
      ("total", amount(day.millilitres, settings)),
      (
        "entries",
        .array(
          day.entries.reversed().map { entry in
            .members(
              ("id", .text(entry.id.uuidString.lowercased())), ("at", .time(entry.intake.at)),
              ("clock", .text(TimeText.clock(entry.intake.at, in: environment.zone))),
              ("millilitres", .count(entry.intake.millilitres)),
              ("text", amount(entry.intake.millilitres, settings)))
          })
      ))
  }
}
