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
