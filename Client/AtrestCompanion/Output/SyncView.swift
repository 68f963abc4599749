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
    "This device was a copy of another one, or was put back from a backup. It is a device of its own now; `\(program) devices` names it."
  }

  /// Shown while the server is unreachable.
  package static let away =
    "The server cannot be reached; trying again. What you write is kept."

  /// The counts, such as `12 sent, 3 received`; nil if both are zero.
  package static func counts(_ report: SyncReport) -> String? {
    var parts: [String] = []
    if report.pushed > 0 { parts.append("\(report.pushed) sent") }
    if report.pulled > 0 { parts.append("\(report.pulled) received") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Shown after a sync.
  package func done(_ report: SyncReport) -> String {
    var lines = [Self.outcome(report)]
    if report.restarted {
      lines.append(
        "The server had lost some of what it held; this device gave back what it has of that.")
    }
    if report.isRenewed { lines.append(renewed) }
    if report.conflicts > 0 {
      let count = report.conflicts == 1 ? "One change was" : "\(report.conflicts) changes were"
      lines.append("\(count) set aside; `\(program) conflicts list` shows both sides.")
    }
    return lines.joined(separator: "\n")
  }

  /// The first line. A device whose writes wait is not up to date.
  private static func outcome(_ report: SyncReport) -> String {
    let counts = counts(report)
    guard report.refused == 0 else {
      return counts.map { "Exchanged what could be: \($0)." } ?? "Nothing else was new."
    }
    return counts.map { "Up to date: \($0)." } ?? "Up to date. Nothing was new."
  }

  /// The sentence about held deletions.
  package func held(_ held: HeldDeletions) -> String {
    "\(held.count) deletions would take away most of what there is (\(held.of) records), so they wait "
      + "for your word; everything else was exchanged. If you mean it: `\(program) sync --allow-mass-deletion`."
  }

  /// The sentence about deletions that still wait.
  package func held(waiting count: Int) -> String {
    "\(count == 1 ? "1 deletion waits" : "\(count) deletions wait") for your word, because most of what there is "
      + "would go. `\(program) sync --allow-mass-deletion` lets it happen; what you write again stays."
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
    let what = count == 1 ? "one change. It is" : "\(count) changes. They are"
    return "The server did not take \(what) kept here; `\(program) status` says why and what to do."
  }

  /// The sentence about a device without access.
  package var accessEnded: String {
    "This device's access was ended. What you wrote is kept here. To join again, leave with "
      + "`\(program) unpair`, then pair with a new link."
  }

  /// The sentence about writes refused for quota.
  package func full(_ count: Int) -> String {
    "The account is full, so \(count == 1 ? "one change waits" : "\(count) changes wait") here. "
      + "Whoever runs the server can give it more room. What you delete keeps its place among the records, "
      + "and gives back its size only; `\(program) account` shows both."
  }
}
