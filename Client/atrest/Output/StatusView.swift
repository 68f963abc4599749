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
  /// A refused write.
  struct Refused: Encodable, Equatable {
    var kind: String
    var id: String
    var reason: String
    var message: String
    var advice: String
  }

  /// The sync state.
  struct Sync: Encodable, Equatable {
    var paired: Bool
    var account: String?
    var server: String?
    var lastSync: WallTime?
    var waiting: Int
    var heldDeletions: Int
    var refused: [Refused]
    /// How far the server's clock leads this device's, in seconds.
    var clockOffsetSeconds: Int64
    /// Whether the server doubts its own clock.
    var serverClockDoubtful: Bool
  }

  var active: SessionRow?
  var otherOpen: [SessionRow]
  var waterTodayMillilitres: Int
  var conflicts: Int
  var sync: Sync

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
    sync = Sync(
      paired: status?.isPaired ?? false, account: status?.account, server: status?.server,
      lastSync: status?.lastSync,
      waiting: (status?.pendingCount ?? 0) - (status?.refusedCount ?? 0)
        - (status?.heldDeletionCount ?? 0),
      heldDeletions: status?.heldDeletionCount ?? 0,
      refused: pending.compactMap { Refused($0) },
      clockOffsetSeconds: (status?.serverOffsetMilliseconds ?? 0) / 1000,
      serverClockDoubtful: status?.isServerClockDoubtful ?? false)
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
    lines += syncLines(context)
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

  /// The sentence about held deletions.
  static func heldWords(_ count: Int) -> String {
    "\(count == 1 ? "1 deletion waits" : "\(count) deletions wait") for your word, because most of what there is "
      + "would go. `atrest sync --allow-mass-deletion` lets it happen; what you write again stays."
  }

  private func syncLines(_ context: CommandContext) -> [String] {
    var lines: [String] = []
    let waiting = sync.waiting == 1 ? "1 change waits" : "\(sync.waiting) changes wait"
    if !sync.paired {
      lines.append(
        "Everything is kept on this device. `atrest pair LINK` connects it to your other devices.")
    } else {
      let last = sync.lastSync.map { "last synced \(context.words($0))" } ?? "not synced yet"
      let waits = sync.waiting == 0 ? "Nothing waits to sync" : "\(waiting) for the next sync"
      lines.append(
        sync.waiting == 0 && !(sync.refused.isEmpty && sync.heldDeletions == 0)
          ? last.asSentence : "\(waits); \(last).")
    }
    if sync.paired, let line = clockLine { lines.append(line) }
    if sync.heldDeletions > 0 { lines.append(Self.heldWords(sync.heldDeletions)) }
    // One sentence covers all writes over quota.
    let full = sync.refused.count { $0.reason == Refused.quotaName }
    if full > 0 { lines.append(SyncWords(Atrest.programName).full(full)) }
    let others = sync.refused.filter { $0.reason != Refused.quotaName }
    if !others.isEmpty {
      lines.append(
        others.count == 1
          ? "The server did not take one change. It is kept here:"
          : "The server did not take \(others.count) changes. They are kept here:")
      for refused in others.prefix(10) {
        lines.append("  \(refused.kind) \(refused.id)")
        lines.append("    \(refused.message) \(refused.advice)")
      }
      let rest = others.count - 10
      if rest > 0 { lines.append("  and \(rest) more; `atrest status --json` names them all") }
    }
    return lines
  }
}

extension StatusReport {
  /// Clock differences up to this many seconds are not mentioned.
  private static let clockTolerance = 60

  /// The sentence about a wrong clock, if one is wrong.
  private var clockLine: String? {
    if sync.serverClockDoubtful {
      return
        "The server's clock may be wrong; whoever runs it should look. Nothing is lost meanwhile."
    }
    guard sync.clockOffsetSeconds.magnitude > Self.clockTolerance else { return nil }
    let way = sync.clockOffsetSeconds > 0 ? "behind" : "ahead of"
    let length = DurationText.text(minutes: Int(sync.clockOffsetSeconds.magnitude / 60))
    return
      "This device's clock is \(length) \(way) the server's; what you write is corrected for it."
  }
}

extension StatusReport.Refused {
  /// nil for a write that was not refused or is only held.
  fileprivate init?(_ write: PendingWrite) {
    guard let refusal = write.refusal, refusal.reason != .massDeletion else { return nil }
    let id = RecordWords.id(of: write.key)
    self.init(
      kind: RecordWords.name(of: write.key.kind), id: id,
      reason: StatusReport.Refused.name(refusal.reason),
      message: refusal.message.escapedForTerminal.asSentence,
      advice: StatusReport.Refused.advice(refusal.reason, write.key.kind, id))
  }

  fileprivate static let quotaName = "quota"

  private static func name(_ reason: RefusalReason) -> String {
    switch reason {
    case .clockSkew: "clock_skew"
    case .invalid: "invalid"
    case .tooLarge: "too_large"
    case .damaged: "damaged"
    case .quota: quotaName
    default: "reason_\(reason.rawValue)"
    }
  }

  private static func advice(_ reason: RefusalReason, _ kind: RecordKind, _ id: String) -> String {
    let command: String? =
      switch kind {
      case .session: "sessions"
      case .water: "water"
      default: nil
      }
    let short = id.filter { $0 != "-" }.prefix(ShortID.digits)
    switch (reason, command) {
    case (.clockSkew, _):
      return "`atrest sync` corrects it for this device's clock and sends it by itself."
    case (.damaged, _):
      return "It is safe here. Whoever runs the server has to put a backup back."
    case (.quota, _):
      return "It waits until there is room; `atrest account` shows how much there is."
    case (.invalid, let command?), (.tooLarge, let command?):
      return "Correct it with `atrest \(command) edit \(short)`, or take it away with "
        + "`atrest \(command) delete \(short)`, then sync."
    default:
      return "`atrest sync` tries again; a newer version of the server may take it."
    }
  }
}
