// SPDX-License-Identifier: Apache-2.0
// Output of imports and exports.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestPortability
import AtrestReplication
import Foundation

/// How up to date this device is before an import.
enum ImportFooting: Hashable, Sendable {
  /// It is not paired, so there are no other devices.
  case alone
  /// All of it: this device has just synced.
  case upToDate
  /// What was synced before: this is only a look, and the import syncs first.
  case looking
  /// It could not sync.
  case behind
}

/// Texts about imports.
enum ImportWords {
  /// The confirmation question.
  static func question(_ footing: ImportFooting) -> String {
    footing == .behind ? "Bring it in without syncing first?" : "Bring it in?"
  }

  /// Shown if the sync before the import failed.
  static let behind =
    "This device could not sync first: what your other devices deleted since the file was made would come back, "
    + "and what they changed could be changed again."

  private static func note(_ footing: ImportFooting) -> String? {
    switch footing {
    case .alone:
      "If this device is to join an account, pair and sync it first: otherwise what was deleted on other devices "
        + "since the file was made comes back."
    case .upToDate: nil
    case .looking: "To bring it in, this device syncs first; then it may be less."
    case .behind: behind
    }
  }

  /// The preview of an import.
  ///
  /// - Parameter remarks: What is to be said of rows; nil for other files.
  static func preview(
    _ report: ImportReport, remarks: String? = nil, _ footing: ImportFooting,
    _ context: CommandContext
  ) -> String {
    var lines = [heading(report, context)]
    if let remarks { lines.append(remarks) }
    if let instants = report.instants {
      lines.append(
        "From \(context.words(instants.lowerBound)) to \(context.words(instants.upperBound)).")
    }
    lines += kinds(report)
    if report.total.total == 0, report.active == nil { lines.append("There is nothing in it.") }
    let notes = notes(report)
    lines += notes
    if report.changesAnything {
      if let note = note(footing) { lines.append(note) }
    } else {
      lines.append("Nothing here would change.")
    }
    return lines.joined(separator: "\n")
  }

  /// The result of an import.
  static func done(_ report: ImportReport, _ footing: ImportFooting) -> String {
    let total = report.total
    var parts: [String] = []
    if total.new > 0 { parts.append("\(total.new) added") }
    if total.updated > 0 { parts.append("\(total.updated) changed") }
    if report.active == .new { parts.append("the fast that was going on goes on here") }
    if parts.isEmpty { parts.append("everything was here already") }
    let words = "Brought in: \(parts.joined(separator: ", "))."
    return footing == .alone ? words : words + " The next sync takes it to your other devices."
  }

  private static func heading(_ report: ImportReport, _ context: CommandContext) -> String {
    let what =
      switch report.format {
      case .atrest: "An export of Atrest Sync, version \(report.version)"
      case .iosExport: "An export of the iOS app, version \(report.version)"
      case .iosSessionState: "The iOS app's fasts"
      case .iosWaterLog: "The iOS app's water"
      case .csv: "A history of another app"
      }
    return what + (report.madeAt.map { ", made \(context.words($0))" } ?? "") + "."
  }

  /// One line per kind, such as `12 fasts: 10 here already, 2 new`.
  private static func kinds(_ report: ImportReport) -> [String] {
    report.kinds.sorted { $0.key < $1.key }.map { kind, counts in
      let parts = [
        (counts.new, "new"), (counts.known, "here already"),
        (counts.updated, "to be changed here"), (counts.kept, "different here"),
        (counts.deletedHere, "deleted here"), (counts.leftOut, "left out"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return "\(Atrest.recordWords.count(counts.total, kind)): \(parts.joined(separator: ", "))."
    }
  }

  private static func notes(_ report: ImportReport) -> [String] {
    var notes: [String] = []
    let total = report.total
    if total.kept + total.deletedHere > 0 {
      notes.append(
        "What is different or deleted here stays as it is here. `--prefer-file` takes the file's.")
    }
    let journal = report.kinds[.conflict]?.leftOut ?? 0
    if journal > 0 {
      notes.append("The journal of set-aside changes is not brought in.")
    }
    let others = total.leftOut - journal
    if others > 0 {
      notes.append(
        "\(others == 1 ? "One record is" : "\(others) records are") left out, because this version cannot write "
          + "\(others == 1 ? "it" : "them"). Update the program, then import the file again.")
    }
    switch report.active {
    case .new: notes.append("The fast that was going on goes on here.")
    case .known: notes.append("The fast that was going on is here already.")
    case .anotherGoesOn:
      notes.append("The fast that was going on is left out: another one goes on here.")
    case .tooLong:
      notes.append("The fast that was going on is left out: it began more than 14 days ago.")
    case nil: break
    }
    if report.finished > 0 {
      notes.append(
        "The fast that an earlier file brought as open has ended; this file has its end.")
    }
    return notes
  }
}

/// An import for `--json`.
struct ImportRow: Encodable {
  /// The counts of one kind.
  struct Counts: Encodable {
    var new: Int
    var known: Int
    var updated: Int
    var kept: Int
    var deletedHere: Int
    var leftOut: Int

    init(_ counts: ImportReport.Counts) {
      new = counts.new
      known = counts.known
      updated = counts.updated
      kept = counts.kept
      deletedHere = counts.deletedHere
      leftOut = counts.leftOut
    }
  }

  var format: String
  var version: Int
  var madeAt: WallTime?
  var earliest: WallTime?
  var latest: WallTime?
  var total: Counts
  var kinds: [String: Counts]
  var active: String?
  var finished: Int
  var imported: Bool
  /// Rows that were left out; nil if the file has no rows.
  var skipped: [SkippedRow]?

  /// - Parameters:
  ///   - skipped: Rows that were left out; nil if the file has no rows.
  ///   - isDone: Whether it was imported, or had nothing to import.
  init(_ report: ImportReport, skipped: [SkippedRow]? = nil, isDone: Bool) {
    self.skipped = skipped
    format = report.format.rawValue
    version = report.version
    madeAt = report.madeAt
    earliest = report.instants?.lowerBound
    latest = report.instants?.upperBound
    total = Counts(report.total)
    kinds = Dictionary(
      report.kinds.map { (Atrest.recordWords.name(of: $0.key), Counts($0.value)) }
    ) { first, _ in first }
    active = report.active?.rawValue
    finished = report.finished
    imported = isDone
  }
}

/// Texts about exports.
enum ExportWords {
  /// The result of an export.
  static func done(_ counts: [RecordKind: Int], file: String) -> String {
    let parts = counts.sorted { $0.key < $1.key }.map {
      Atrest.recordWords.count($0.value, $0.key)
    }
    return "Wrote \(parts.isEmpty ? "nothing but a heading" : parts.joined(separator: ", ")) to "
      + "\(file.escapedForTerminal). Only you can read it; it says when you fasted and drank."
  }
}

/// An export for `--json`.
struct ExportRow: Encodable {
  var file: String
  var format: String
  var bytes: Int
  var records: [String: Int]

  init(file: String, format: String, bytes: Int, _ counts: [RecordKind: Int]) {
    self.file = file
    self.format = format
    self.bytes = bytes
    records = Dictionary(counts.map { (Atrest.recordWords.name(of: $0.key), $0.value) }) { $0 + $1 }
  }
}
