// SPDX-License-Identifier: Apache-2.0
// What is said and asked of two fasts that claim the same time.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain

/// The words about a fast that shares time with others.
struct OverlapWords {
  let session: Session
  let other: Session
  /// How many more there are besides `other`.
  let more: Int
  /// By full id.
  let ids: [String: String]
  let context: CommandContext

  private func id(_ session: Session) -> String {
    ids[ShortID.hex(session.id)] ?? ShortID.hex(session.id)
  }

  /// Says that they do.
  var sharing: String {
    let (id, span) = (id(other), AtrestVocabulary.words(other.span, context))
    return Language.text(
      "It shares time with the fast \(id), \(span)\(more == 0 ? "" : ", and with \(more) more"). "
        + "Is that one fast noted twice?",
      de:
        "Es überschneidet sich mit dem Fasten \(id), \(span)\(more == 0 ? "" : ", und mit \(more) weiteren"). "
        + "Ist das dasselbe, zweimal notiert?")
  }

  /// For whoever cannot be asked: the commands that correct it.
  var commands: String {
    let (one, another) = (id(session), id(other))
    return Language.text(
      "Both count as it is; `atrest sessions delete \(another)` takes that one away, "
        + "`atrest sessions edit \(one) --start TIME` or `--end TIME` corrects this one.",
      de: "So zählen beide; `atrest sessions delete \(another)` entfernt jenes, "
        + "`atrest sessions edit \(one) --start TIME` oder `--end TIME` berichtigt dieses.")
  }

  /// The answers to choose from, one a line.
  ///
  /// - Parameter shortened: What this fast would be without the shared time; nil: nothing.
  func choices(_ shortened: Session?) -> String {
    let other = id(other)
    var lines = [
      Language.text("  1  Both are right (Enter)", de: "  1  Beide stimmen (Enter)"),
      Language.text("  2  Take \(other) away", de: "  2  \(other) entfernen"),
    ]
    if let shortened {
      let span = AtrestVocabulary.words(shortened.span, context)
      lines.append(Language.text("  3  This one was \(span)", de: "  3  Dieses war \(span)"))
    }
    return lines.joined(separator: "\n")
  }

  /// Asks for a number.
  static func question(isShortenable: Bool) -> String {
    isShortenable
      ? Language.text("1, 2 or 3:", de: "1, 2 oder 3:") : Language.text("1 or 2:", de: "1 oder 2:")
  }

  /// The answer was carried out.
  func done(_ answer: OverlapQuestion.Answer) -> String {
    switch answer {
    case .keepBoth: Language.text("Both are kept.", de: "Beide bleiben.")
    case .removeOther: Language.text("\(id(other)) is gone.", de: "\(id(other)) ist entfernt.")
    case .shorten: Language.text("Corrected.", de: "Berichtigt.")
    }
  }

  /// One of the two was changed meanwhile, by a sync or another window.
  static var changed: String {
    Language.text(
      "One of the two has changed meanwhile, so nothing was done. "
        + "`atrest sessions list` shows both.",
      de: "Eines der beiden hat sich inzwischen geändert, darum geschah nichts. "
        + "`atrest sessions list` zeigt beide.")
  }
}
