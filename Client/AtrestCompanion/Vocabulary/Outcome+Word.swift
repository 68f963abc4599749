// SPDX-License-Identifier: Apache-2.0
// The words for a fast's outcome.

import AtrestDomain

extension Session.Outcome {
  /// The word for display and input.
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
