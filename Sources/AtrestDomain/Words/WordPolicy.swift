// SPDX-License-Identifier: Apache-2.0
// Finds banned phrases in text for people.

/// The phrases that Atrest never uses, and a scanner for them.
public enum WordPolicy {
  /// The phrases in lower case with single spaces.
  public static let banned = [
    // Biology as a promise.
    "autophagy maximized", "fat-burning zone", "peak fasting", "optimal window", "maximum benefits",
    "best results occur here", "this is where the magic happens",
    // Praise and pressure.
    "don't break now", "you're doing great", "keep it up", "you've earned this", "don't stop now",
    "streak", "hurry",
    // Selling.
    "unlock", "limited time", "last chance", "act now", "only today", "ending soon", "don't miss",
    "while supplies last", "fear of missing out", "fomo", "most popular", "best value",
  ]

  /// The same in German.
  public static let bannedGerman = [
    "autophagie maximiert", "fettverbrennungszone", "optimales fenster", "maximaler nutzen",
    "die besten ergebnisse", "hier geschieht die magie",
    "jetzt nicht abbrechen", "jetzt nicht aufhören", "gib nicht auf", "halte durch",
    "du machst das großartig", "du machst das toll", "mach weiter so", "das hast du dir verdient",
    "tage in folge", "tage am stück", "serie von tagen", "beeil dich",
    "freischalten", "freigeschaltet", "nur für kurze zeit", "letzte chance", "jetzt handeln",
    "nur heute", "endet bald", "verpasse", "solange der vorrat reicht", "am beliebtesten",
    "bester preis",
  ]

  /// The banned phrases in a text, in the order of `banned`, then of `bannedGerman`.
  ///
  /// Ignores case. Any run of white space counts as one space. Terminal colour codes and zero-width
  /// characters are skipped; typographic apostrophes and hyphens count as plain ones.
  /// - Complexity: O(n) per phrase.
  public static func findings(in text: String) -> [String] {
    let plain = Array(normalized(text).utf8)
    return (banned + bannedGerman).filter { phrase in
      let phrase = Array(phrase.utf8)
      return plain.indices.contains { plain[$0...].starts(with: phrase) }
    }
  }

  /// Whether a text contains no banned phrase.
  public static func allows(_ text: String) -> Bool {
    findings(in: text).isEmpty
  }

  private static func normalized(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "\u{1b}", scalars.first == "[" {
        // A control sequence ends with its first byte from @ to ~; ECMA-48, section 5.4.
        scalars.removeFirst()
        while let next = scalars.popFirst(), !("@"..."~").contains(next) {}
      } else if scalar.properties.isWhitespace {
        if result.last != " " { result.append(" ") }
      } else if scalar.properties.generalCategory == .format {
        continue
      } else {
        switch scalar {
        case "\u{2018}", "\u{2019}", "\u{02bc}": result.append("'")
        case "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}": result.append("-")
        default: result.append(scalar)
        }
      }
    }
    return String(result).lowercased()
  }
}
