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
      let elapsed = active.start > context.now ? "starts" : "since"
      lines.append(style.strong("Fasting \(elapsed) \(context.words(active.start))"))
      var line = "  \(DurationText.text(minutes: active.elapsedMinutes)) so far, target "
      line += DurationText.text(minutes: active.targetMinutes)
      let milestone = active.milestone.flatMap(Milestone.init(rawValue:))
      if let milestone { line += "; \(milestone.name)" }
      lines.append(line)
      if let milestone { lines.append(style.quiet("  \(milestone.companionText)")) }
    } else {
      lines.append("No fast is going on. `atrest fast start` begins one when you're ready.")
    }
    for other in otherOpen {
      let id = short(other.id, sessionIDs)
      lines.append(
        "Also open: \(id), since \(context.words(other.start)). `atrest sessions edit \(id) --end TIME` "
          + "ends it, `atrest sessions delete \(id)` takes it away.")
    }
    lines.append("Water today: \(context.amount(waterTodayMillilitres))")
    lines += sync.lines(context, of: Atrest.self)
    if conflicts > 0 {
      let count = conflicts == 1 ? "One change was" : "\(conflicts) changes were"
      lines.append(
        "\(count) set aside because another device changed the same thing. "
          + "`atrest conflicts list` shows both sides.")
    }
    return lines.joined(separator: "\n")
  }

  private func short(_ id: String, _ ids: [String: String]) -> String {
    let hex = id.filter { $0 != "-" }
    return ids[hex] ?? hex
  }
}
