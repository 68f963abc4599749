// SPDX-License-Identifier: Apache-2.0
// What people call the records of a kind, one of them and several.

import AtrestReplication

/// A noun in the language of this process.
public struct Noun: Hashable, Sendable {
  /// With its article: `a fast`.
  public let one: String
  /// Without an article: `fasts`.
  public let many: String

  /// Creates a noun from both forms.
  public init(one: String, many: String) {
    (self.one, self.many) = (one, many)
  }

  /// Creates a noun in both languages, each as one and as several.
  init(_ one: String, _ many: String, de: (one: String, many: String)) {
    self.init(one: Language.text(one, de: de.one), many: Language.text(many, de: de.many))
  }

  /// So many of them: `1 fast`, `3 fasts`.
  public func counted(_ count: Int) -> String {
    guard count == 1 else { return "\(count) \(many)" }
    let bare = one.utf8.drop { $0 != UInt8(ascii: " ") }
    return "1\(String(Substring(bare)))"
  }

  /// What records of a kind are called that this version does not know.
  public static var unknown: Noun {
    Noun(
      "a record of a newer version", "records of a newer version",
      de: ("ein Eintrag einer neueren Version", "Einträge einer neueren Version"))
  }
}

extension RecordKind {
  /// What records of a kind are called that every app knows: fasts, water, settings, purchases, and
  /// the journal. Nil for another kind.
  public var noun: Noun? {
    switch self {
    case .session: Noun("a fast", "fasts", de: ("ein Fasten", "Fasten"))
    case .water:
      Noun("a water entry", "water entries", de: ("ein Wassereintrag", "Wassereinträge"))
    case .preference: Noun("a setting", "settings", de: ("eine Einstellung", "Einstellungen"))
    case .entitlement: Noun("a purchase", "purchases", de: ("ein Kauf", "Käufe"))
    case .conflict:
      Noun(
        "a journal entry", "journal entries",
        de: ("ein Eintrag des Journals", "Einträge des Journals"))
    default: nil
    }
  }
}
