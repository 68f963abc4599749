// SPDX-License-Identifier: Apache-2.0
// The words for a fast's outcome.

import AtrestDomain

extension Session.Outcome {
  /// The word for people.
  package var title: String {
    switch self {
    case .active: Language.text("active", de: "offen")
    case .completed: Language.text("completed", de: "abgeschlossen")
    case .abandoned: Language.text("abandoned", de: "losgelassen")
    }
  }

  /// The word for input and programs.
  package var word: String {
    switch self {
    case .active: "active"
    case .completed: "completed"
    case .abandoned: "abandoned"
    }
  }

  /// The outcome for a word; nil for any other word.
  package init?(word: String) {
    guard let outcome = Self.allCases.first(where: { $0.word == word.lowercased() }) else {
      return nil
    }
    self = outcome
  }
}
