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
    if !paired {
      lines.append(
        Language.text(
          "Everything is kept on this device. `\(name) pair LINK` connects it to your other devices.",
          de: "Alles liegt auf diesem Gerät. `\(name) pair LINK` verbindet es mit deinen anderen."))
    } else if accessEnded {
      lines.append(words.accessEnded)
    } else {
      let last =
        lastSync.map { last in
          let last = context.words(last)
          return Language.text("last synced \(last)", de: "zuletzt abgeglichen \(last)")
        } ?? Language.text("not synced yet", de: "noch nicht abgeglichen")
      lines.append(
        waiting == 0 && !(refused.isEmpty && heldDeletions == 0)
          ? last.asSentence : "\(waitingWords); \(last).")
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
          ? Language.text(
            "The server did not take one change. It is kept here:",
            de: "Eine Änderung hat der Server nicht angenommen. Sie bleibt hier:")
          : Language.text(
            "The server did not take \(others.count) changes. They are kept here:",
            de: "\(others.count) Änderungen hat der Server nicht angenommen. Sie bleiben hier:"))
      for refused in others.prefix(10) {
        lines.append("  \(refused.kind) \(refused.id)")
        lines.append("    \(refused.message) \(refused.advice)")
      }
      let rest = others.count - 10
      if rest > 0 {
        lines.append(
          Language.text(
            "  and \(rest) more; `\(name) status --json` names them all",
            de: "  und \(rest) weitere; `\(name) status --json` nennt sie alle"))
      }
    }
    return lines
  }

  private var waitingWords: String {
    switch waiting {
    case 0: Language.text("Nothing waits to sync", de: "Nichts wartet auf den Abgleich")
    case 1:
      Language.text(
        "1 change waits for the next sync", de: "1 Änderung wartet auf den nächsten Abgleich")
    default:
      Language.text(
        "\(waiting) changes wait for the next sync",
        de: "\(waiting) Änderungen warten auf den nächsten Abgleich")
    }
  }

  /// Clock differences up to this many seconds are not mentioned.
  private static let clockTolerance = 60

  /// The sentence about a wrong clock, if one is wrong.
  private var clockLine: String? {
    if serverClockDoubtful {
      return Language.text(
        "The server's clock may be wrong; whoever runs it should look. Nothing is lost meanwhile.",
        de: "Die Uhr des Servers geht vielleicht falsch; wer ihn betreibt, sollte nachsehen. "
          + "Verloren geht dabei nichts.")
    }
    guard clockOffsetSeconds.magnitude > Self.clockTolerance else { return nil }
    let isBehind = clockOffsetSeconds > 0
    let length = DurationText.text(minutes: Int(clockOffsetSeconds.magnitude / 60))
    return Language.text(
      "This device's clock is \(length) \(isBehind ? "behind" : "ahead of") the server's; what you write is corrected for it.",
      de:
        "Die Uhr dieses Geräts geht gegenüber dem Server \(length) \(isBehind ? "nach" : "vor"); was du schreibst, wird danach berichtigt."
    )
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
      return Language.text(
        "`\(program) sync` corrects it for this device's clock and sends it by itself.",
        de: "`\(program) sync` berichtigt es nach der Uhr dieses Geräts und sendet es von selbst.")
    case (.damaged, _):
      return Language.text(
        "It is safe here. Whoever runs the server has to put a backup back.",
        de: "Hier ist es sicher. Wer den Server betreibt, muss eine Sicherung zurückspielen.")
    case (.quota, _):
      return Language.text(
        "It waits until there is room; `\(program) account` shows how much there is.",
        de: "Es wartet, bis Platz ist; `\(program) account` zeigt, wie viel es gibt.")
    case (.invalid, let command?), (.tooLarge, let command?):
      return Language.text(
        "Correct it with `\(program) \(command) edit \(short)`, or take it away with "
          + "`\(program) \(command) delete \(short)`, then sync.",
        de: "Berichtige es mit `\(program) \(command) edit \(short)` oder entferne es mit "
          + "`\(program) \(command) delete \(short)`, dann gleiche ab.")
    default:
      return Language.text(
        "`\(program) sync` tries again; a newer version of the server may take it.",
        de:
          "`\(program) sync` versucht es wieder; eine neuere Version des Servers nimmt es vielleicht."
      )
    }
  }
}
