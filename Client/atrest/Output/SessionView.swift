// SPDX-License-Identifier: Apache-2.0
// Output of fasts.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import Foundation

/// A fast, for `--json`.
struct SessionRow: Encodable, Equatable {
  var id: String
  var start: WallTime
  var end: WallTime?
  var outcome: String
  var targetMinutes: Int
  var elapsedMinutes: Int
  var milestone: String?
  var inHistory: Bool

  init(_ session: Session, now: WallTime) {
    let elapsed = session.elapsedMilliseconds(at: now)
    id = session.id.uuidString.lowercased()
    start = session.span.start
    end = session.span.end
    outcome = session.span.outcome.word
    targetMinutes = session.targetMinutes
    elapsedMinutes = DurationText.wholeMinutes(milliseconds: elapsed)
    milestone = session.span.end == nil ? Milestone(elapsedMilliseconds: elapsed)?.rawValue : nil
    inHistory = session.isInHistory
  }
}

/// Texts about fasts.
enum SessionWords {
  /// A table of fasts, latest start first.
  static func list(_ sessions: [Session], ids: [String: String], _ context: CommandContext) -> Table
  {
    var table = Table(
      headings: Language.text(
        "ID,STARTED,ENDED,LASTED,TARGET,", de: "ID,BEGINN,ENDE,DAUER,ZIEL,"))
    for session in sessions {
      let hex = ShortID.hex(session.id)
      table.add(
        ids[hex] ?? hex, context.words(session.span.start),
        session.span.end.map(context.words) ?? openWord,
        DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now)),
        DurationText.text(minutes: session.targetMinutes),
        session.span.outcome == .completed ? "" : session.span.outcome.title)
    }
    return table
  }

  /// All details of a fast.
  static func detail(_ session: Session, _ context: CommandContext) -> String {
    let names = Language.text(
      "id       ,started  ,ended    ,lasted   ,target   ,outcome  ",
      de: "ID       ,Beginn   ,Ende     ,Dauer    ,Ziel     ,Ausgang  ")
    let values = [
      session.id.uuidString.lowercased(), context.words(session.span.start),
      session.span.end.map(context.words) ?? openWord,
      DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now)),
      DurationText.text(minutes: session.targetMinutes), session.span.outcome.title,
    ]
    var lines = zip(names.split(separator: ","), values).map { "\($0)\($1)" }
    if session.span.outcome == .completed, !session.isInHistory { lines.append(short) }
    return lines.joined(separator: "\n")
  }

  private static var openWord: String { Language.text("still open", de: "noch offen") }

  /// Said of a fast that no list shows.
  static var short: String {
    Language.text(
      "Fasts under 4 hours are kept, and left out of the history.",
      de: "Fasten unter 4 Stunden bleibt gespeichert, steht aber nicht im Verlauf.")
  }

  /// Today's water.
  static func waterToday(_ amount: String) -> String {
    Language.text("Water today: \(amount)", de: "Wasser heute: \(amount)")
  }

  /// Another open fast, and what can be done with it.
  static func alsoOpen(_ id: String, since start: WallTime, _ context: CommandContext) -> String {
    Language.text(
      "Also open: \(id), since \(context.words(start)). `atrest sessions edit \(id) --end TIME` "
        + "ends it, `atrest sessions delete \(id)` takes it away.",
      de:
        "Auch noch offen: \(id), seit \(context.words(start)). `atrest sessions edit \(id) --end TIME` "
        + "beendet es, `atrest sessions delete \(id)` entfernt es.")
  }

  /// The ending of a completed fast in the words of calendar and history.
  static func ending(_ session: Session) -> String {
    guard let entry = CalendarEntry(session) else { return Language.text("Ended", de: "Beendet") }
    return (entry.endedEarly ? Word.calendarEndedEarly : .calendarCompleted).text
  }

  /// Mentions another fast that is still open.
  static func stillOpen(_ session: Session, _ context: CommandContext) -> String {
    let start = context.words(session.span.start)
    return Language.text(
      "Another fast is still open, since \(start).",
      de: "Ein anderes Fasten ist noch offen, seit \(start).")
  }

  /// The most overlaps that a list names.
  private static let namedOverlaps = 3

  /// Names the fasts of a list that share time. Empty if none do.
  static func overlaps(
    _ overlaps: [Overlap], ids: [String: String]
  ) -> [String] {
    let id = { (session: Session) in ids[ShortID.hex(session.id)] ?? ShortID.hex(session.id) }
    var lines = overlaps.prefix(namedOverlaps).map {
      let (one, other) = (id($0.earlier), id($0.later))
      return Language.text(
        "\(one) and \(other) share some of their time.",
        de: "\(one) und \(other) überschneiden sich.")
    }
    guard !lines.isEmpty else { return [] }
    if overlaps.count > namedOverlaps {
      let more = overlaps.count - namedOverlaps
      lines.append(
        Language.text("So do \(more) more pairs.", de: "Ebenso \(more) weitere Paare."))
    }
    lines.append(
      Language.text(
        "Each counts, and has a tree. `atrest sessions delete ID` takes one away, "
          + "`atrest sessions edit ID` corrects it.",
        de: "Jedes zählt und hat einen Baum. `atrest sessions delete ID` entfernt eines, "
          + "`atrest sessions edit ID` berichtigt es."))
    return lines
  }

  /// One line after the end of a fast.
  static func ended(_ session: Session, _ context: CommandContext) -> String {
    let length = DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now))
    switch session.span.outcome {
    case .completed:
      let ending = ending(session)
      let words = Language.text("\(ending) after \(length).", de: "\(ending) nach \(length).")
      return session.isInHistory ? words : "\(words) \(short)"
    case .abandoned:
      return Language.text(
        "Let go after \(length). That is fine; the next one can begin whenever you like.",
        de: "Losgelassen nach \(length). Das ist gut so; das nächste beginnt, wann immer du magst.")
    case .active:
      return Language.text("Going on, \(length) so far.", de: "Es geht weiter, bisher \(length).")
    }
  }
}
