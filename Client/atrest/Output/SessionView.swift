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
    var table = Table("ID", "STARTED", "ENDED", "LASTED", "TARGET", "")
    for session in sessions {
      let hex = ShortID.hex(session.id)
      table.add(
        ids[hex] ?? hex, context.words(session.span.start),
        session.span.end.map(context.words) ?? "still open",
        DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now)),
        DurationText.text(minutes: session.targetMinutes),
        session.span.outcome == .completed ? "" : session.span.outcome.word)
    }
    return table
  }

  /// All details of a fast.
  static func detail(_ session: Session, _ context: CommandContext) -> String {
    var lines = [
      "id       \(session.id.uuidString.lowercased())",
      "started  \(context.words(session.span.start))",
      "ended    \(session.span.end.map(context.words) ?? "still open")",
      "lasted   \(DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now)))",
      "target   \(DurationText.text(minutes: session.targetMinutes))",
      "outcome  \(session.span.outcome.word)",
    ]
    if session.span.outcome == .completed, !session.isInHistory {
      lines.append("Fasts under 4 hours are kept, and left out of the history.")
    }
    return lines.joined(separator: "\n")
  }

  /// The ending of a completed fast in the words of calendar and history.
  static func ending(_ session: Session) -> String {
    guard let entry = CalendarEntry(session) else { return "Ended" }
    return (entry.endedEarly ? Word.calendarEndedEarly : .calendarCompleted).text
  }

  /// Mentions another fast that is still open.
  static func stillOpen(_ session: Session, _ context: CommandContext) -> String {
    "Another fast is still open, since \(context.words(session.span.start))."
  }

  /// Asks about fasts that share time with one, and says how to correct that. Nil if none does.
  static func overlap(
    of session: Session, with others: [Session], ids: [String: String], _ context: CommandContext
  ) -> String? {
    guard let other = others.first else { return nil }
    let id = { (session: Session) in ids[ShortID.hex(session.id)] ?? ShortID.hex(session.id) }
    let more = others.count == 1 ? "" : ", and with \(others.count - 1) more"
    return "It shares time with the fast \(id(other)), "
      + "\(AtrestVocabulary.words(other.span, context))\(more). Is that one fast noted twice? Both count as it is; "
      + "`atrest sessions delete \(id(other))` takes that one away, "
      + "`atrest sessions edit \(id(session)) --start TIME` or `--end TIME` corrects this one."
  }

  /// The most overlaps that a list names.
  private static let namedOverlaps = 3

  /// Names the fasts of a list that share time. Empty if none do.
  static func overlaps(
    _ overlaps: [Overlap], ids: [String: String]
  ) -> [String] {
    let id = { (session: Session) in ids[ShortID.hex(session.id)] ?? ShortID.hex(session.id) }
    var lines = overlaps.prefix(namedOverlaps).map {
      "\(id($0.earlier)) and \(id($0.later)) share some of their time."
    }
    guard !lines.isEmpty else { return [] }
    if overlaps.count > namedOverlaps {
      lines.append("So do \(overlaps.count - namedOverlaps) more pairs.")
    }
    lines.append(
      "Each counts, and has a tree. `atrest sessions delete ID` takes one away, `atrest sessions edit ID` corrects it."
    )
    return lines
  }

  /// One line after the end of a fast.
  static func ended(_ session: Session, _ context: CommandContext) -> String {
    let length = DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now))
    switch session.span.outcome {
    case .completed:
      let words = "\(ending(session)) after \(length)."
      return session.isInHistory
        ? words : "\(words) Fasts under 4 hours are kept, and left out of the history."
    case .abandoned:
      return "Let go after \(length). That is fine; the next one can begin whenever you like."
    case .active:
      return "Going on, \(length) so far."
    }
  }
}
