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
    var lines = [heading(report, context)]
    if let remarks { lines.append(remarks) }
    if let instants = report.instants {
      let (first, last) = (
        context.words(instants.lowerBound), context.words(instants.upperBound)
      )
      lines.append(
        Language.text("From \(first) to \(last).", de: "Von \(first) bis \(last)."))
    }
    lines += kinds(report)
    if report.total.total == 0, report.active == nil {
      lines.append(Language.text("There is nothing in it.", de: "Es steht nichts darin."))
    }
    let notes = notes(report)
    lines += notes
    if report.changesAnything {
      if let note = note(footing) { lines.append(note) }
    } else {
      lines.append(
        Language.text("Nothing here would change.", de: "Hier würde sich nichts ändern."))
    }
    return lines.joined(separator: "\n")
  }

  /// The result of an import.
  static func done(_ report: ImportReport, _ footing: ImportFooting) -> String {
    let total = report.total
    var parts: [String] = []
    if total.new > 0 {
      parts.append(Language.text("\(total.new) added", de: "\(total.new) hinzugefügt"))
    }
    if total.updated > 0 {
      parts.append(Language.text("\(total.updated) changed", de: "\(total.updated) geändert"))
    }
    if report.active == .new {
      parts.append(
        Language.text(
          "the fast that was going on goes on here",
          de: "das Fasten, das gerade lief, läuft hier weiter"))
    }
    if parts.isEmpty {
      parts.append(Language.text("everything was here already", de: "alles war schon hier"))
    }
    let list = parts.joined(separator: ", ")
    let words = Language.text("Brought in: \(list).", de: "Hereingeholt: \(list).")
    return footing == .alone
      ? words
      : words + " "
        + Language.text(
          "The next sync takes it to your other devices.",
          de: "Der nächste Abgleich bringt es zu deinen anderen Geräten.")
  }

  private static func heading(_ report: ImportReport, _ context: CommandContext) -> String {
    let what =
      switch report.format {
      case .atrest:
        Language.text(
          "An export of Atrest Sync, version \(report.version)",
          de: "Ein Export von Atrest Sync, Version \(report.version)")
      case .iosExport:
        Language.text(
          "An export of the iOS app, version \(report.version)",
          de: "Ein Export der iOS-App, Version \(report.version)")
      case .iosSessionState:
        Language.text("The iOS app's fasts", de: "Das Fasten der iOS-App")
      case .iosWaterLog: Language.text("The iOS app's water", de: "Das Wasser der iOS-App")
      case .csv: Language.text("A history of another app", de: "Der Verlauf einer anderen App")
      }
    let made = report.madeAt.map(context.words).map {
      Language.text(", made \($0)", de: ", von \($0)")
    }
    return what + (made ?? "") + "."
  }

  /// One line per kind, such as `12 fasts: 10 here already, 2 new`.
  private static func kinds(_ report: ImportReport) -> [String] {
    report.kinds.sorted { $0.key < $1.key }.map { kind, counts in
      let parts = [
        (counts.new, Language.text("new", de: "neu")),
        (counts.known, Language.text("here already", de: "schon hier")),
        (counts.updated, Language.text("to be changed here", de: "hier zu ändern")),
        (counts.kept, Language.text("different here", de: "hier anders")),
        (counts.deletedHere, Language.text("deleted here", de: "hier gelöscht")),
        (counts.leftOut, Language.text("left out", de: "ausgelassen")),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return "\(Atrest.recordWords.count(counts.total, kind)): \(parts.joined(separator: ", "))."
    }
  }

  private static func notes(_ report: ImportReport) -> [String] {
    var notes: [String] = []
    let total = report.total
    if total.kept + total.deletedHere > 0 {
      notes.append(
        Language.text(
          "What is different or deleted here stays as it is here. `--prefer-file` takes the file's.",
          de:
            "Was hier anders oder gelöscht ist, bleibt hier so. `--prefer-file` nimmt, was in der Datei steht."
        ))
    }
    let journal = report.kinds[.conflict]?.leftOut ?? 0
    if journal > 0 {
      notes.append(
        Language.text(
          "The journal of set-aside changes is not brought in.",
          de: "Das Journal der beiseitegelegten Änderungen wird nicht hereingeholt."))
    }
    let others = total.leftOut - journal
    if others > 0 {
      notes.append(
        Language.text(
          "\(others == 1 ? "One record is" : "\(others) records are") left out, because this version cannot write "
            + "\(others == 1 ? "it" : "them"). Update the program, then import the file again.",
          de:
            "\(others == 1 ? "Ein Eintrag bleibt" : "\(others) Einträge bleiben") aus, weil diese Version "
            + "\(others == 1 ? "ihn" : "sie") nicht schreiben kann. Aktualisiere das Programm, dann importiere die "
            + "Datei noch einmal."))
    }
    switch report.active {
    case .new:
      notes.append(
        Language.text(
          "The fast that was going on goes on here.",
          de: "Das Fasten, das gerade lief, läuft hier weiter."))
    case .known:
      notes.append(
        Language.text(
          "The fast that was going on is here already.",
          de: "Das Fasten, das gerade lief, ist schon hier."))
    case .anotherGoesOn:
      notes.append(
        Language.text(
          "The fast that was going on is left out: another one goes on here.",
          de: "Das Fasten, das gerade lief, bleibt aus: Hier läuft ein anderes."))
    case .tooLong:
      notes.append(
        Language.text(
          "The fast that was going on is left out: it began more than 14 days ago.",
          de: "Das Fasten, das gerade lief, bleibt aus: Es begann vor mehr als 14 Tagen."))
    case nil: break
    }
    if report.finished > 0 {
      notes.append(
        Language.text(
          "The fast that an earlier file brought as open has ended; this file has its end.",
          de:
            "Das Fasten, das eine frühere Datei als offen brachte, ist zu Ende; diese Datei hat sein Ende."
        ))
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
