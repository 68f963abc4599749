// SPDX-License-Identifier: Apache-2.0
// Output of `atrest status`.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// The status; `--json` encodes it as it is.
struct StatusReport: Encodable, Equatable {
  var active: SessionRow?
  var otherOpen: [SessionRow]
  var waterTodayMillilitres: Int
  var conflicts: Int
  var sync: SyncStatus

  /// Builds the report from a replica's contents.
  init(
    sessions: [Session], water: [WaterEntry], status: ReplicaStatus?, pending: [PendingWrite],
    conflicts: Int, _ context: CommandContext
  ) {
    let fasting = Fasting(sessions)
    active = fasting.active.map { SessionRow($0, now: context.now) }
    otherOpen = fasting.otherOpen.map { SessionRow($0, now: context.now) }
    waterTodayMillilitres = WaterDay.total(of: water, onDayOf: context.now, in: context.zone)
    self.conflicts = conflicts
    sync = SyncStatus(status, pending, of: Atrest.self)
  }

  /// The report of a device without a replica.
  static func empty(_ context: CommandContext) -> StatusReport {
    StatusReport(sessions: [], water: [], status: nil, pending: [], conflicts: 0, context)
  }

  /// The report as text.
  ///
  /// - Parameter sessionIDs: The short ids of the fasts.
  func text(sessionIDs: [String: String], _ context: CommandContext, _ style: Style) -> String {
    var lines: [String] = []
    if let active {
      let (isAhead, start) = (active.start > context.now, context.words(active.start))
      lines.append(
        style.strong(
          Language.text(
            "Fasting \(isAhead ? "starts" : "since") \(start)",
            de: isAhead ? "Das Fasten beginnt \(start)" : "Du fastest seit \(start)")))
      let elapsed = DurationText.text(minutes: active.elapsedMinutes)
      let target = DurationText.text(minutes: active.targetMinutes)
      var line = Language.text(
        "  \(elapsed) so far, target \(target)", de: "  bisher \(elapsed), Ziel \(target)")
      let milestone = active.milestone.flatMap(Milestone.init(rawValue:))
      if let milestone { line += "; \(milestone.name)" }
      lines.append(line)
      if let milestone { lines.append(style.quiet("  \(milestone.companionText)")) }
    } else {
      lines.append(
        Language.text(
          "No fast is going on. `atrest fast start` begins one when you're ready.",
          de: "Du fastest gerade nicht. `atrest fast start` beginnt, wenn du so weit bist."))
    }
    for other in otherOpen {
      let id = short(other.id, sessionIDs)
      lines.append(SessionWords.alsoOpen(id, since: other.start, context))
    }
    lines.append(SessionWords.waterToday(context.amount(waterTodayMillilitres)))
    lines += sync.lines(context, of: Atrest.self)
    if conflicts > 0 {
      lines.append(
        Language.text(
          "\(conflicts == 1 ? "One change was" : "\(conflicts) changes were") set aside because another device "
            + "changed the same thing. `atrest conflicts list` shows both sides.",
          de:
            "\(conflicts == 1 ? "Eine Änderung wurde" : "\(conflicts) Änderungen wurden") beiseitegelegt, weil ein "
            + "anderes Gerät dasselbe geändert hat. `atrest conflicts list` zeigt beide Seiten."))
    }
    return lines.joined(separator: "\n")
  }

  private func short(_ id: String, _ ids: [String: String]) -> String {
    let hex = id.filter { $0 != "-" }
    return ids[hex] ?? hex
  }
}
