// SPDX-License-Identifier: Apache-2.0
// The language of what people read: English unless the program chose another one at its start.

import Synchronization

/// A language that the catalogue has.
public enum Language: UInt8, Hashable, Sendable, CaseIterable {
  case english = 0
  case german

  /// The language of a locale's name such as `de_DE.UTF-8` or `de`; English for any other.
  public init(locale: String) {
    let language = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" && $0 != "-" }
    self = language.lowercased() == "de" ? .german : .english
  }

  private static let chosen = Atomic<UInt8>(english.rawValue)

  /// The language of this process, or of this browser's core.
  public static var current: Language {
    Language(rawValue: chosen.load(ordering: .relaxed)) ?? .english
  }

  /// Chooses the language of this process. Call it before anything is said: what was said before
  /// stays as it is.
  public static func choose(_ language: Language) {
    chosen.store(language.rawValue, ordering: .relaxed)
  }

  /// A text of a program in the language of this process. Texts of the screens are in the
  /// catalogue.
  ///
  /// - Parameters:
  ///   - english: The text in English.
  ///   - german: The same in German.
  public static func text(
    _ english: @autoclosure () -> String, de german: @autoclosure () -> String
  ) -> String {
    switch current {
    case .english: english()
    case .german: german()
    }
  }

  /// The mark before the fraction of a number.
  public var decimalMark: String {
    switch self {
    case .english: "."
    case .german: ","
    }
  }
}
