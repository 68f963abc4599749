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

  /// So many of them: `1 fast`, `3 fasts`.
  public func counted(_ count: Int) -> String {
    guard count == 1 else { return "\(count) \(many)" }
    let bare = one.utf8.drop { $0 != UInt8(ascii: " ") }
    return "1\(String(Substring(bare)))"
  }

  /// What records of a kind are called that this version does not know.
  public static var unknown: Noun {
    Noun(
      one: Language.text("a record of a newer version", de: "ein Eintrag einer neueren Version"),
      many: Language.text("records of a newer version", de: "Einträge einer neueren Version"))
  }
}

extension RecordKind {
  /// What records of a kind are called that every app knows: fasts, water, settings, purchases, and
  /// the journal. Nil for another kind.
  public var noun: Noun? {
    switch self {
    case .session:
      Noun(
        one: Language.text("a fast", de: "ein Fasten"), many: Language.text("fasts", de: "Fasten"))
    case .water:
      Noun(
        one: Language.text("a water entry", de: "ein Wassereintrag"),
        many: Language.text("water entries", de: "Wassereinträge"))
    case .preference:
      Noun(
        one: Language.text("a setting", de: "eine Einstellung"),
        many: Language.text("settings", de: "Einstellungen"))
    case .entitlement:
      Noun(
        one: Language.text("a purchase", de: "ein Kauf"),
        many: Language.text("purchases", de: "Käufe"))
    case .conflict:
      Noun(
        one: Language.text("a journal entry", de: "ein Eintrag des Journals"),
        many: Language.text("journal entries", de: "Einträge des Journals"))
    default: nil
    }
  }
}
