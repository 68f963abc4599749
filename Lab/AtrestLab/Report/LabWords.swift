// SPDX-License-Identifier: Apache-2.0
// Texts for steps and values.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

/// Texts for steps and values.
enum LabWords {
  /// A time such as `2 Mar 20:00`, with the year if it is not the scenario's.
  static func time(_ date: WallTime, _ start: WallTime, _ zone: ZoneOffsets) -> String {
    let day = LocalDay(date, in: zone)
    var words = TimeText.day(day)
    let year = " \(LocalDay(start, in: zone).parts.year)"
    if words.hasSuffix(year) { words = String(words.dropLast(year.count)) }
    return "\(words) \(TimeText.clock(date, in: zone))"
  }

  /// A field's value as text.
  static func value(_ value: FieldValue, _ start: WallTime, _ zone: ZoneOffsets) -> String {
    switch value {
    case .deleted(true): "deleted"
    case .deleted(false): "not deleted"
    case .span(let span): self.span(span, start, zone)
    case .targetMinutes(let minutes): "target \(DurationText.text(minutes: minutes))"
    case .intake(let intake):
      "\(AmountText.text(millilitres: intake.millilitres)), \(time(intake.at, start, zone))"
    case .text(let text): "“\(Part.shortened(text))”"
    case .unknown: "a value of a newer version"
    }
  }

  private static func span(_ span: Fast.Span, _ start: WallTime, _ zone: ZoneOffsets) -> String {
    guard let end = span.end else { return "since \(time(span.start, start, zone))" }
    let isOneDay = LocalDay(span.start, in: zone) == LocalDay(end, in: zone)
    let words = isOneDay ? TimeText.clock(end, in: zone) : time(end, start, zone)
    let outcome = span.outcome == .completed ? "" : ", \(span.outcome.word)"
    return "\(time(span.start, start, zone)) to \(words)\(outcome)"
  }

  /// An edit as text, following the device's name.
  static func edit(_ edit: Scenario.Edit, _ zone: ZoneOffsets) -> String {
    func parts(_ parts: [String?]) -> String { parts.compactMap { $0 }.joined(separator: ", ") }
    func target(_ minutes: Int?) -> String? {
      minutes.map { "target \(DurationText.text(minutes: $0))" }
    }
    func clock(_ word: String, _ date: WallTime?) -> String? {
      date.map { "\(word) \(time($0, $0, zone))" }
    }
    switch edit {
    case .start(let name, let began, let minutes):
      return parts(["starts “\(name)”", clock("began", began), target(minutes)])
    case .finish(let name, let ended, let isCompleted):
      return parts(["\(isCompleted ? "completes" : "abandons") “\(name)”", clock("ended", ended)])
    case .correctFast(let name, let change):
      return parts([
        "corrects “\(name)”", clock("began", change.began), clock("ended", change.ended),
        change.outcome, target(change.targetMinutes),
      ])
    case .drink(let names, let millilitres, let at):
      return parts([
        "notes \(list(names))", AmountText.text(millilitres: millilitres), clock("drunk", at),
      ])
    case .correctWater(let name, let millilitres, let at):
      return parts([
        "corrects “\(name)”", millilitres.map { AmountText.text(millilitres: $0) },
        clock("drunk", at),
      ])
    case .delete(let names): return "deletes \(list(names))"
    case .garden(let edit, let refusal):
      return parts([self.edit(edit, zone), refusal.map { "which is refused: \($0.rawValue)" }])
    case .set(let key, let value): return "sets \(key) to “\(Part.shortened(value))”"
    case .bringBack(let choice):
      return parts([
        "brings back “\(choice.record)”" + (choice.field.map { " (\($0.rawValue))" } ?? "")
          + (choice.from.map { " from \($0)" } ?? "")
      ])
    }
  }

  private static func list(_ names: [String]) -> String {
    guard names.count > 1, let first = names.first, let last = names.last else {
      return names.first.map { "“\($0)”" } ?? "nothing"
    }
    return "“\(first)” to “\(last)”"
  }

  /// A change of clock as text, following the device's name.
  static func clockIsSet(_ error: ClockError, _ zone: ZoneOffsets) -> String {
    switch error {
    case .none: "sets its clock right"
    case .stuck(let date): "has a clock that stands at \(TimeText.iso(date))"
    case .ahead(let milliseconds) where milliseconds >= 0:
      "has a clock that is \(Lengths.text(milliseconds)) ahead"
    case .ahead(let milliseconds):
      "has a clock that is \(Lengths.text(-milliseconds)) behind"
    }
  }

  /// The counts, such as `2 sent, 3 received`.
  static func counts(_ answer: SyncReport) -> String {
    var parts: [String] = []
    if answer.pushed > 0 { parts.append("\(answer.pushed) sent") }
    if answer.pulled > 0 { parts.append("\(answer.pulled) received") }
    if answer.restarted { parts.append("the server had lost something") }
    if answer.isRenewed { parts.append("it was a copy, and is a device of its own now") }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }

  /// A count of writes, such as `1 write` or `2 writes`.
  static func writes(_ count: Int) -> String {
    count == 1 ? "1 write" : "\(count) writes"
  }

  static func writesWait(_ count: Int) -> String {
    count == 1 ? "1 write waits" : "\(count) writes wait"
  }

  /// Natural order of names: `glass 2` before `glass 10`.
  static func isBefore(_ a: String, _ b: String) -> Bool {
    func parts(_ name: String) -> (Substring, Int) {
      let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
      return (name.dropLast(digits), Int(name.suffix(digits)) ?? -1)
    }
    let (first, second) = (parts(a), parts(b))
    return (first.0, first.1, a) < (second.0, second.1, b)
  }
}
