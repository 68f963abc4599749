// SPDX-License-Identifier: Apache-2.0
// The findings and the verdict of `doctor`.

import AtrestClient
import AtrestCommandLine
import AtrestReplication
import AtrestSync
import Foundation

/// The findings; `--json` encodes them as they are.
struct DoctorReport: Encodable, Equatable {
  /// The differing records of one kind.
  struct Kind: Encodable, Equatable {
    var kind: String
    var missingHere: Int
    var missingOnServer: Int
    var different: Int

    var count: Int { missingHere + missingOnServer + different }
  }

  var records = 0
  var waiting = 0
  var refused = 0
  var heldDeletions = 0
  var paired = false
  var account: String?
  var server: String?
  var clockOffsetMilliseconds: Int64?
  /// Records that other devices wrote since the last sync.
  var news: Int?
  var differences: [Kind] = []
  var serverLostData = false
  var repaired = false
  /// The number of records that still differ.
  var left = 0

  /// A report for a device without a replica.
  init() {}

  /// A report on the local replica.
  init(records: Int, status: ReplicaStatus) {
    self.records = records
    waiting = status.pendingCount - status.refusedCount - status.heldDeletionCount
    refused = status.refusedCount
    heldDeletions = status.heldDeletionCount
    paired = status.isPaired
    account = status.account
    server = status.server
  }

  /// The number of records that differed in the comparison.
  var differing: Int { differences.reduce(0) { $0 + $1.count } }

  /// Whether no record differs any more.
  var isWell: Bool { left == 0 }

  /// Adds the findings of a comparison.
  ///
  /// - Parameter hasSynced: Whether this device has synced with the server before: only then can
  ///   the server have lost what it told.
  mutating func found(_ found: Differences, hasSynced: Bool, _ words: RecordWords) {
    clockOffsetMilliseconds = found.serverOffsetMilliseconds
    news = found.news.count
    serverLostData = found.isRestarted && hasSynced
    left = found.count
    let keys = found.missingHere.union(found.missingThere).union(found.different)
    differences = Set(keys.map(\.kind)).sorted().map { kind in
      func count(_ keys: Set<RecordKey>) -> Int { keys.count { $0.kind == kind } }
      return Kind(
        kind: words.name(of: kind), missingHere: count(found.missingHere),
        missingOnServer: count(found.missingThere), different: count(found.different))
    }
  }

  /// Adds the result of a repair.
  mutating func repaired(_ report: SyncReport, left: Differences) {
    repaired = true
    refused = report.refused
    heldDeletions = report.heldDeletions?.count ?? 0
    self.left = left.count
  }
}

/// Texts about the findings.
struct DoctorWords {
  /// What people type, before the names of commands.
  let program: String

  /// The local findings as text.
  func here(_ report: DoctorReport) -> [String] {
    var lines = [
      Language.text(
        "Here: \(report.records == 1 ? "1 record" : "\(report.records) records"), all readable.",
        de:
          "Hier: \(report.records == 1 ? "1 Eintrag" : "\(report.records) Einträge"), alle lesbar.")
    ]
    if report.waiting > 0 {
      lines.append(
        Language.text(
          report.waiting == 1
            ? "1 change waits to sync." : "\(report.waiting) changes wait to sync.",
          de: report.waiting == 1
            ? "1 Änderung wartet auf den Abgleich."
            : "\(report.waiting) Änderungen warten auf den Abgleich."))
    }
    if report.refused > 0 { lines.append(SyncWords(program).refused(report.refused)) }
    if report.heldDeletions > 0 {
      lines.append(SyncWords(program).held(waiting: report.heldDeletions))
    }
    return lines
  }

  /// The server's findings as text.
  func there(_ report: DoctorReport) -> [String] {
    var lines = [
      Language.text(
        "Account: “\((report.account ?? "").escapedForTerminal)” on \(report.server ?? "").",
        de: "Konto: „\((report.account ?? "").escapedForTerminal)“ auf \(report.server ?? "").")
    ]
    lines.append(clock(report))
    if let news = report.news, news > 0 {
      lines.append(
        Language.text(
          "\(news == 1 ? "1 record is" : "\(news) records are") new on the server; "
            + "`\(program) sync` brings \(news == 1 ? "it" : "them").",
          de: "\(news == 1 ? "1 Eintrag ist" : "\(news) Einträge sind") neu auf dem Server; "
            + "`\(program) sync` holt \(news == 1 ? "ihn" : "sie").")
      )
    }
    if report.serverLostData {
      lines.append(
        Language.text(
          "The server was put back from a copy, or lost something.",
          de: "Der Server kam aus einer Sicherung zurück oder hat etwas verloren."))
    }
    for kind in report.differences {
      var parts: [String] = []
      let (here, there, different) = (kind.missingHere, kind.missingOnServer, kind.different)
      if here > 0 { parts.append(Language.text("\(here) missing here", de: "\(here) fehlen hier")) }
      if there > 0 {
        parts.append(
          Language.text("\(there) missing on the server", de: "\(there) fehlen auf dem Server"))
      }
      if different > 0 {
        parts.append(Language.text("\(different) not alike", de: "\(different) verschieden"))
      }
      let all = parts.joined(separator: ", ")
      lines.append(
        Language.text("Differs: \(kind.kind): \(all).", de: "Weicht ab: \(kind.kind): \(all)."))
    }
    return lines
  }

  private func clock(_ report: DoctorReport) -> String {
    let seconds = (report.clockOffsetMilliseconds ?? 0) / 1000
    guard seconds.magnitude > 2 else {
      return Language.text("Clock: as the server's.", de: "Uhr: wie die des Servers.")
    }
    let (length, isBehind) = (seconds.magnitude, seconds > 0)
    return Language.text(
      "Clock: \(length) seconds \(isBehind ? "behind" : "ahead of") the server's; what you write is "
        + "corrected for it.",
      de: "Uhr: geht gegenüber dem Server \(length) Sekunden \(isBehind ? "nach" : "vor"); was du "
        + "schreibst, wird danach berichtigt.")
  }

  /// The one-line verdict.
  func verdict(_ report: DoctorReport) -> String {
    if !report.paired {
      return report.records == 0
        ? Language.text(
          "Nothing is written here yet, and nothing is amiss.",
          de: "Noch steht hier nichts, und nichts ist beschädigt.")
        : Language.text(
          "All is well here. This device is not paired, so there was nothing to compare.",
          de: "Hier ist alles in Ordnung. Dieses Gerät ist nicht verbunden, zu vergleichen war "
            + "darum nichts.")
    }
    if report.left > 0 {
      let what = Language.text(
        report.left == 1 ? "1 record differs" : "\(report.left) records differ",
        de: report.left == 1 ? "1 Eintrag weicht" : "\(report.left) Einträge weichen")
      return report.repaired
        ? Language.text(
          "\(what) still; nothing is lost. `\(program) status` may say why, and a later "
            + "`\(program) doctor` tries again.",
          de:
            "\(what) noch ab; verloren ist nichts. `\(program) status` sagt vielleicht, warum, und "
            + "ein späteres `\(program) doctor` versucht es wieder.")
        : Language.text(
          "\(what). `\(program) doctor` without `--check` mends that.",
          de: "\(what) ab. `\(program) doctor` ohne `--check` führt das zusammen.")
    }
    if report.refused > 0 {
      return Language.text(
        "Nothing differs but what the server refused: see `\(program) status`.",
        de: "Nur was der Server nicht annahm, weicht ab: siehe `\(program) status`.")
    }
    if !report.repaired, report.waiting + report.heldDeletions + (report.news ?? 0) > 0 {
      return Language.text(
        "Nothing is amiss: this device and the server differ only by what is still to be exchanged.",
        de: "Alles ist in Ordnung: Es fehlt nur, was noch abzugleichen ist.")
    }
    return report.repaired
      ? Language.text(
        "All is well again: what differed was brought together, and nothing was lost.",
        de:
          "Alles ist wieder in Ordnung: Was abwich, ist zusammengeführt, und nichts ging verloren.")
      : Language.text(
        "All is well: this device and the server hold the same.",
        de: "Alles ist in Ordnung: Dieses Gerät und der Server haben dasselbe.")
  }
}
