// SPDX-License-Identifier: Apache-2.0
// What a request of the shell could not do, as a person reads it.

import AtrestDomain
import AtrestSync

/// Why a request failed. Nothing was changed.
package struct CoreFailure: Error, Hashable {
  /// For programs.
  package let code: String
  /// What happened, then what to do.
  package let sentence: String

  package init(code: String, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// The shell asked for what the core does not offer.
  static func misuse(_ rule: String) -> CoreFailure {
    CoreFailure(
      code: "misuse",
      Language.text(
        "This page and its core do not fit: \(rule). Load the page again.",
        de: "Diese Seite und ihr Kern passen nicht zusammen: \(rule). Lade die Seite neu."))
  }

  /// Rows are missing, or are not as they were written.
  static var damaged: CoreFailure {
    CoreFailure(
      code: "damaged",
      Language.text(
        "What this browser keeps of Atrest is damaged. Nothing was changed. What was synced is on "
          + "the server: remove this app's data in the browser, then pair again.",
        de: "Was dieser Browser von Atrest behält, ist beschädigt. Nichts wurde geändert. Was "
          + "abgeglichen war, ist auf dem Server: Entferne die Daten dieser App im Browser, dann "
          + "kopple wieder."))
  }

  /// Rows of a later version.
  static var newer: CoreFailure {
    CoreFailure(
      code: "newer",
      Language.text(
        "What this browser keeps was written by a newer Atrest. Load the page again to update it.",
        de: "Was dieser Browser behält, hat ein neueres Atrest geschrieben. Lade die Seite neu, um "
          + "es zu aktualisieren."))
  }

  init(_ error: ReplicaError) {
    self =
      error.code == .damaged
      ? .damaged
      : CoreFailure(
        code: error.code.description, BrowserWords.sentence(of: error))
  }

  init(_ error: SyncError) {
    if let inner = error.replicaError {
      self.init(inner)
    } else {
      let code = BrowserWords.isBusy(error) ? "busy" : error.code.description
      self.init(code: code, BrowserWords.sentence(of: error))
    }
  }

  init(_ problem: InputProblem) { self.init(code: "input", problem.userMessage) }

  /// What happened apart from what to do.
  var json: JSON {
    let end = sentence.utf8.indices.first { index in
      sentence.utf8[index] == UInt8(ascii: " ")
        && index > sentence.utf8.startIndex
        && sentence.utf8[sentence.utf8.index(before: index)] == UInt8(ascii: ".")
    }
    guard let end else {
      return .members(("code", .text(code)), ("title", .text(sentence)), ("advice", ""))
    }
    return .members(
      ("code", .text(code)), ("title", .text(String(sentence[..<end]))),
      ("advice", .text(String(sentence[end...].dropFirst()))))
  }
}
