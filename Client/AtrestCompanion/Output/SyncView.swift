// SPDX-License-Identifier: Apache-2.0
// Output of `sync`.

import AtrestClient
import AtrestDomain
import AtrestSync
import AtrestWire
import Foundation

/// What a sync did, for `--json`.
package struct SyncRow: Encodable, Equatable {
  var sent: Int
  var received: Int
  var refused: Int
  var superseded: Int
  var conflicts: Int
  var restarted: Bool
  var renewed: Bool
  var heldDeletions: Int
  var overQuota: Int

  package init(_ report: SyncReport) {
    sent = report.pushed
    received = report.pulled
    refused = report.refused
    superseded = report.superseded
    conflicts = report.conflicts
    restarted = report.restarted
    renewed = report.isRenewed
    heldDeletions = report.heldDeletions?.count ?? 0
    overQuota = report.overQuota
  }
}

/// Texts about syncing.
package struct SyncWords: Sendable {
  private let program: String

  /// - Parameter program: What people type, before the names of commands.
  package init(_ program: String) {
    self.program = program
  }

  /// Shown if this device turned out to be a copy.
  package var renewed: String {
    Language.text(
      "This device was a copy of another one, or was put back from a backup. It is a device of its own now; `\(program) devices` names it.",
      de:
        "Dieses Gerät war die Kopie eines anderen oder kam aus einer Sicherung. Es ist jetzt ein eigenes Gerät; `\(program) devices` nennt es."
    )
  }

  /// Shown while the server is unreachable.
  package static var away: String {
    Language.text(
      "The server cannot be reached; trying again. What you write is kept.",
      de: "Der Server ist nicht zu erreichen; es wird wieder versucht. Was du schreibst, bleibt.")
  }

  /// The counts, such as `12 sent, 3 received`; nil if both are zero.
  package static func counts(_ report: SyncReport) -> String? {
    var parts: [String] = []
    if report.pushed > 0 {
      parts.append(Language.text("\(report.pushed) sent", de: "\(report.pushed) gesendet"))
    }
    if report.pulled > 0 {
      parts.append(Language.text("\(report.pulled) received", de: "\(report.pulled) empfangen"))
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Shown after a sync.
  package func done(_ report: SyncReport) -> String {
    var lines = [Self.outcome(report)]
    if report.restarted {
      lines.append(
        Language.text(
          "The server had lost some of what it held; this device gave back what it has of that.",
          de: "Der Server hatte einiges verloren; dieses Gerät gab zurück, was es davon hat."))
    }
    if report.isRenewed { lines.append(renewed) }
    if report.conflicts > 0 {
      let isOne = report.conflicts == 1
      lines.append(
        Language.text(
          "\(isOne ? "One change was" : "\(report.conflicts) changes were") set aside; `\(program) conflicts list` shows both sides.",
          de:
            "\(isOne ? "Eine Änderung wurde" : "\(report.conflicts) Änderungen wurden") beiseitegelegt; `\(program) conflicts list` zeigt beide Seiten."
        ))
    }
    return lines.joined(separator: "\n")
  }

  /// The first line. A device whose writes wait is not up to date.
  private static func outcome(_ report: SyncReport) -> String {
    let counts = counts(report)
    guard report.refused == 0 else {
      return counts.map {
        Language.text(
          "Exchanged what could be: \($0).", de: "Abgeglichen, was möglich war: \($0).")
      } ?? Language.text("Nothing else was new.", de: "Sonst war nichts neu.")
    }
    return counts.map { Language.text("Up to date: \($0).", de: "Auf dem neuesten Stand: \($0).") }
      ?? Language.text(
        "Up to date. Nothing was new.", de: "Auf dem neuesten Stand. Nichts war neu.")
  }

  /// The sentence about held deletions.
  package func held(_ held: HeldDeletions) -> String {
    Language.text(
      "\(held.count == 1 ? "1 deletion waits" : "\(held.count) deletions wait") for your word, because more than half "
        + "of the records would be gone within a day; everything else was exchanged. If you mean it: "
        + "`\(program) sync --allow-mass-deletion`.",
      de:
        "\(held.count == 1 ? "1 Löschung wartet" : "\(held.count) Löschungen warten") auf dein Wort, weil mehr als "
        + "die Hälfte der Einträge in einem Tag verschwände; alles andere ist abgeglichen. Wenn du es so meinst: "
        + "`\(program) sync --allow-mass-deletion`."
    )
  }

  /// The sentence about deletions that still wait.
  package func held(waiting count: Int) -> String {
    Language.text(
      "\(count == 1 ? "1 deletion waits" : "\(count) deletions wait") for your word, because more than half "
        + "of the records would be gone within a day. `\(program) sync --allow-mass-deletion` lets it happen; what you write again stays.",
      de:
        "\(count == 1 ? "1 Löschung wartet" : "\(count) Löschungen warten") auf dein Wort, weil mehr als die Hälfte "
        + "der Einträge in einem Tag verschwände. `\(program) sync --allow-mass-deletion` lässt es zu; was du neu schreibst, bleibt."
    )
  }

  /// The sentences about refused writes; nil if there are none.
  package func refused(_ report: SyncReport) -> String? {
    var sentences: [String] = []
    if report.overQuota > 0 { sentences.append(full(report.overQuota)) }
    let others = report.refused - report.overQuota
    if others > 0 { sentences.append(refused(others)) }
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }

  /// The sentence about writes refused for reasons other than quota.
  package func refused(_ count: Int) -> String {
    Language.text(
      "The server did not take \(count == 1 ? "one change. It is" : "\(count) changes. They are") kept here; "
        + "`\(program) status` says why and what to do.",
      de:
        "Der Server hat \(count == 1 ? "eine Änderung nicht angenommen. Sie bleibt" : "\(count) Änderungen nicht angenommen. Sie bleiben") hier; "
        + "`\(program) status` sagt, warum und was zu tun ist.")
  }

  /// The sentence about a device without access.
  package var accessEnded: String {
    Language.text(
      "This device's access was ended. What you wrote is kept here. To join again, leave with "
        + "`\(program) unpair`, then pair with a new link.",
      de: "Der Zugang dieses Geräts wurde beendet. Was du geschrieben hast, bleibt hier. Um wieder "
        + "dabei zu sein, geh mit `\(program) unpair` und kopple mit einem neuen Link.")
  }

  /// The sentence about writes refused for quota.
  package func full(_ count: Int) -> String {
    Language.text(
      "The account is full, so \(count == 1 ? "one change waits" : "\(count) changes wait") here. "
        + "Whoever runs the server can give it more room. What you delete keeps its place among the records, "
        + "and gives back its size only; `\(program) account` shows both.",
      de:
        "Das Konto ist voll, darum \(count == 1 ? "wartet eine Änderung" : "warten \(count) Änderungen") hier. "
        + "Wer den Server betreibt, kann mehr Platz geben. Was du löschst, behält seinen Platz unter den Einträgen "
        + "und gibt nur seine Größe zurück; `\(program) account` zeigt beides.")
  }
}
