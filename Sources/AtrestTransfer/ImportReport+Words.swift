// SPDX-License-Identifier: Apache-2.0
// Says what an import would do and what it did. The same words in a terminal and in a browser.

import AtrestDomain
import AtrestReplication

extension ImportReport {
  /// What the import would do, line by line.
  ///
  /// - Parameters:
  ///   - time: How an instant reads.
  ///   - count: How a number of records of a kind reads: `12 fasts`.
  ///   - hint: How to take the file's values where they differ, as a sentence.
  package func lines(
    time: (WallTime) -> String, count: (Int, RecordKind) -> String, hint: String
  ) -> [String] {
    var lines = [heading(time)]
    if let instants {
      let (first, last) = (time(instants.lowerBound), time(instants.upperBound))
      lines.append(
        Language.text("From \(first) to \(last).", de: "Von \(first) bis \(last)."))
    }
    lines += kindLines(count)
    if total.total == 0, active == nil {
      lines.append(Language.text("There is nothing in it.", de: "Es steht nichts darin."))
    }
    lines += notes(hint)
    if !changesAnything {
      lines.append(
        Language.text("Nothing here would change.", de: "Hier würde sich nichts ändern."))
    }
    return lines
  }

  /// What the import did.
  ///
  /// - Parameter isAlone: Whether no other device will have it.
  package func done(isAlone: Bool) -> String {
    let total = self.total
    var parts: [String] = []
    if total.new > 0 {
      parts.append(Language.text("\(total.new) added", de: "\(total.new) hinzugefügt"))
    }
    if total.updated > 0 {
      parts.append(Language.text("\(total.updated) changed", de: "\(total.updated) geändert"))
    }
    if active == .new {
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
    return isAlone
      ? words
      : words + " "
        + Language.text(
          "The next sync takes it to your other devices.",
          de: "Der nächste Abgleich bringt es zu deinen anderen Geräten.")
  }

  private func heading(_ time: (WallTime) -> String) -> String {
    let what =
      switch format {
      case .atrest:
        Language.text(
          "An export of Atrest Sync, version \(version)",
          de: "Ein Export von Atrest Sync, Version \(version)")
      case .iosExport:
        Language.text(
          "An export of the iOS app, version \(version)",
          de: "Ein Export der iOS-App, Version \(version)")
      case .iosSessionState:
        Language.text("The iOS app's fasts", de: "Das Fasten der iOS-App")
      case .iosWaterLog: Language.text("The iOS app's water", de: "Das Wasser der iOS-App")
      case .csv, .otherJSON:
        Language.text("A history of another app", de: "Der Verlauf einer anderen App")
      }
    let made = madeAt.map(time).map {
      Language.text(", made \($0)", de: ", von \($0)")
    }
    return what + (made ?? "") + "."
  }

  /// One line per kind, such as `12 fasts: 10 here already, 2 new`.
  private func kindLines(_ count: (Int, RecordKind) -> String) -> [String] {
    kinds.sorted { $0.key < $1.key }.map { kind, counts in
      let parts = [
        (counts.new, Language.text("new", de: "neu")),
        (counts.known, Language.text("here already", de: "schon hier")),
        (counts.updated, Language.text("to be changed here", de: "hier zu ändern")),
        (counts.kept, Language.text("different here", de: "hier anders")),
        (counts.deletedHere, Language.text("deleted here", de: "hier gelöscht")),
        (counts.leftOut, Language.text("left out", de: "ausgelassen")),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return "\(count(counts.total, kind)): \(parts.joined(separator: ", "))."
    }
  }

  private func notes(_ hint: String) -> [String] {
    var notes: [String] = []
    let total = self.total
    if total.kept + total.deletedHere > 0 {
      notes.append(
        Language.text(
          "What is different or deleted here stays as it is here. \(hint)",
          de:
            "Was hier anders oder gelöscht ist, bleibt hier so. \(hint)"
        ))
    }
    let journal = kinds[.conflict]?.leftOut ?? 0
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
    switch active {
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
    if finished > 0 {
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
