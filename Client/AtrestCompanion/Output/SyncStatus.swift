// SPDX-License-Identifier: Apache-2.0
// The part of a program's `status` that is about syncing.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// Whether a device is paired, what waits, what the server refused, and how the clocks differ.
/// `--json` encodes it as it is.
public struct SyncStatus: Encodable, Equatable, Sendable {
  /// A refused write.
  struct Refused: Encodable, Equatable {
    var kind: String
    var id: String
    var reason: String
    var message: String
    var advice: String
  }

  let paired: Bool
  let account: String?
  let server: String?
  let lastSync: WallTime?
  let waiting: Int
  let heldDeletions: Int
  let refused: [Refused]
  /// How far the server's clock leads this device's, in seconds.
  let clockOffsetSeconds: Int64
  /// Whether the server doubts its own clock.
  let serverClockDoubtful: Bool
  /// Whether the server said last that this device has no access any more.
  let accessEnded: Bool

  /// The state of a replica.
  ///
  /// - Parameters:
  ///   - status: nil for a device without a replica.
  ///   - pending: The writes that wait; only the refused ones count.
  ///   - program: Whose commands the advice names.
  public init<Program: Companion>(
    _ status: ReplicaStatus?, _ pending: [PendingWrite], of program: Program.Type
  ) {
    let words = program.recordWords
    paired = status?.isPaired ?? false
    account = status?.account
    server = status?.server
    lastSync = status?.lastSync
    waiting =
      (status?.pendingCount ?? 0) - (status?.refusedCount ?? 0) - (status?.heldDeletionCount ?? 0)
    heldDeletions = status?.heldDeletionCount ?? 0
    refused = pending.compactMap { Refused($0, words, of: program) }
    clockOffsetSeconds = (status?.serverOffsetMilliseconds ?? 0) / 1000
    serverClockDoubtful = status?.isServerClockDoubtful ?? false
    accessEnded = status?.hasAccessEnded ?? false
  }

  /// What people are told of it.
  public func lines<Program: Companion>(
    _ context: CommandContext, of program: Program.Type
  ) -> [String] {
    let (words, name) = (SyncWords(program.programName), program.programName)
    var lines: [String] = []
    let changes = waiting == 1 ? "1 change waits" : "\(waiting) changes wait"
    if !paired {
      lines.append(
        "Everything is kept on this device. `\(name) pair LINK` connects it to your other devices.")
    } else if accessEnded {
      lines.append(words.accessEnded)
    } else {
      let last = lastSync.map { "last synced \(context.words($0))" } ?? "not synced yet"
      let waits = waiting == 0 ? "Nothing waits to sync" : "\(changes) for the next sync"
      lines.append(
        waiting == 0 && !(refused.isEmpty && heldDeletions == 0)
          ? last.asSentence : "\(waits); \(last).")
    }
    if paired, !accessEnded, let line = clockLine { lines.append(line) }
    if heldDeletions > 0 { lines.append(words.held(waiting: heldDeletions)) }
    // One sentence covers all writes over quota.
    let full = refused.count { $0.reason == Refused.quotaName }
    if full > 0 { lines.append(words.full(full)) }
    let others = refused.filter { $0.reason != Refused.quotaName }
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
      if rest > 0 { lines.append("  and \(rest) more; `\(name) status --json` names them all") }
    }
    return lines
  }

  /// Clock differences up to this many seconds are not mentioned.
  private static let clockTolerance = 60

  /// The sentence about a wrong clock, if one is wrong.
  private var clockLine: String? {
    if serverClockDoubtful {
      return
        "The server's clock may be wrong; whoever runs it should look. Nothing is lost meanwhile."
    }
    guard clockOffsetSeconds.magnitude > Self.clockTolerance else { return nil }
    let way = clockOffsetSeconds > 0 ? "behind" : "ahead of"
    let length = DurationText.text(minutes: Int(clockOffsetSeconds.magnitude / 60))
    return
      "This device's clock is \(length) \(way) the server's; what you write is corrected for it."
  }
}

extension SyncStatus.Refused {
  /// nil for a write that was not refused or is only held.
  init?<Program: Companion>(_ write: PendingWrite, _ words: RecordWords, of program: Program.Type) {
    guard let refusal = write.refusal, refusal.reason != .massDeletion else { return nil }
    let id = words.id(of: write.key)
    self.init(
      kind: words.name(of: write.key.kind), id: id,
      reason: Self.name(refusal.reason),
      message: refusal.message.escapedForTerminal.asSentence,
      advice: Self.advice(
        refusal.reason, id, command: program.correctingCommand(for: write.key.kind),
        program.programName))
  }

  static let quotaName = "quota"

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

  private static func advice(
    _ reason: RefusalReason, _ id: String, command: String?, _ program: String
  ) -> String {
    let short = id.filter { $0 != "-" }.prefix(ShortID.digits)
    switch (reason, command) {
    case (.clockSkew, _):
      return "`\(program) sync` corrects it for this device's clock and sends it by itself."
    case (.damaged, _):
      return "It is safe here. Whoever runs the server has to put a backup back."
    case (.quota, _):
      return "It waits until there is room; `\(program) account` shows how much there is."
    case (.invalid, let command?), (.tooLarge, let command?):
      return "Correct it with `\(program) \(command) edit \(short)`, or take it away with "
        + "`\(program) \(command) delete \(short)`, then sync."
    default:
      return "`\(program) sync` tries again; a newer version of the server may take it."
    }
  }
}
