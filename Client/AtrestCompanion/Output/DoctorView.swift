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
  mutating func found(_ found: Differences, _ words: RecordWords) {
    clockOffsetMilliseconds = found.serverOffsetMilliseconds
    news = found.news.count
    serverLostData = found.isRestarted
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
      "Here: \(report.records == 1 ? "1 record" : "\(report.records) records"), all readable."
    ]
    if report.waiting > 0 {
      lines.append(
        report.waiting == 1 ? "1 change waits to sync." : "\(report.waiting) changes wait to sync.")
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
      "Account: “\((report.account ?? "").escapedForTerminal)” on \(report.server ?? "")."
    ]
    lines.append(clock(report))
    if let news = report.news, news > 0 {
      lines.append(
        "\(news == 1 ? "1 record is" : "\(news) records are") new on the server; "
          + "`\(program) sync` brings \(news == 1 ? "it" : "them").")
    }
    if report.serverLostData {
      lines.append("The server was put back from a copy, or lost something.")
    }
    for kind in report.differences {
      var parts: [String] = []
      if kind.missingHere > 0 { parts.append("\(kind.missingHere) missing here") }
      if kind.missingOnServer > 0 { parts.append("\(kind.missingOnServer) missing on the server") }
      if kind.different > 0 { parts.append("\(kind.different) not alike") }
      lines.append("Differs: \(kind.kind): \(parts.joined(separator: ", ")).")
    }
    return lines
  }

  private func clock(_ report: DoctorReport) -> String {
    let seconds = (report.clockOffsetMilliseconds ?? 0) / 1000
    guard seconds.magnitude > 2 else { return "Clock: as the server's." }
    let way = seconds > 0 ? "behind" : "ahead of"
    return
      "Clock: \(seconds.magnitude) seconds \(way) the server's; what you write is corrected for it."
  }

  /// The one-line verdict.
  func verdict(_ report: DoctorReport) -> String {
    if !report.paired {
      return report.records == 0
        ? "Nothing is written here yet, and nothing is amiss."
        : "All is well here. This device is not paired, so there was nothing to compare."
    }
    if report.left > 0 {
      let what = report.left == 1 ? "1 record differs" : "\(report.left) records differ"
      return report.repaired
        ? "\(what) still; nothing is lost. `\(program) status` may say why, and a later `\(program) doctor` tries again."
        : "\(what). `\(program) doctor` without `--check` mends that."
    }
    if report.refused > 0 {
      return "Nothing differs but what the server refused: see `\(program) status`."
    }
    if !report.repaired, report.waiting + report.heldDeletions + (report.news ?? 0) > 0 {
      return
        "Nothing is amiss: this device and the server differ only by what is still to be exchanged."
    }
    return report.repaired
      ? "All is well again: what differed was brought together, and nothing was lost."
      : "All is well: this device and the server hold the same."
  }
}
