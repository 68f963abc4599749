// SPDX-License-Identifier: Apache-2.0
// Output of imports and exports.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
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
    footing == .behind
      ? Language.text(
        "Bring it in without syncing first?", de: "Hereinholen, ohne vorher abzugleichen?")
      : Language.text("Bring it in?", de: "Hereinholen?")
  }

  /// Shown if the sync before the import failed.
  static var behind: String {
    Language.text(
      "This device could not sync first: what your other devices deleted since the file was made would come back, "
        + "and what they changed could be changed again.",
      de:
        "Dieses Gerät konnte nicht vorher abgleichen: Was deine anderen Geräte gelöscht haben, seit es die Datei "
        + "gibt, käme zurück, und was sie geändert haben, würde vielleicht wieder geändert.")
  }

  private static func note(_ footing: ImportFooting) -> String? {
    switch footing {
    case .alone:
      Language.text(
        "If this device is to join an account, pair and sync it first: otherwise what was deleted on other devices "
          + "since the file was made comes back.",
        de:
          "Soll dieses Gerät zu einem Konto gehören, dann kopple und gleiche es vorher ab: Sonst kommt zurück, was "
          + "andere Geräte gelöscht haben, seit es die Datei gibt.")
    case .upToDate: nil
    case .looking:
      Language.text(
        "To bring it in, this device syncs first; then it may be less.",
        de: "Um es hereinzuholen, gleicht dieses Gerät vorher ab; dann ist es vielleicht weniger.")
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
    var lines = report.lines(
      time: context.words, count: Atrest.recordWords.count,
      hint: Language.text(
        "`--prefer-file` takes the file's.",
        de: "`--prefer-file` nimmt, was in der Datei steht."))
    if let remarks { lines.insert(remarks, at: 1) }
    if report.changesAnything, let note = note(footing) { lines.append(note) }
    return lines.joined(separator: "\n")
  }

  /// The result of an import.
  static func done(_ report: ImportReport, _ footing: ImportFooting) -> String {
    report.done(isAlone: footing == .alone)
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
    let (list, file) = (parts.joined(separator: ", "), file.escapedForTerminal)
    return Language.text(
      "Wrote \(parts.isEmpty ? "nothing but a heading" : list) to "
        + "\(file). Only you can read it; it says when you fasted and drank.",
      de: "\(parts.isEmpty ? "Nichts als eine Überschrift" : list) nach \(file) geschrieben. "
        + "Nur du kannst es lesen; es sagt, wann du gefastet und getrunken hast.")
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
