// SPDX-License-Identifier: Apache-2.0
// Why a command ends without success: what people are told, and what scripts are.

/// Ends a command. The sentence goes to standard error.
package struct CommandFailure: Error, Equatable {
  /// Whole sentences: what happened, then what to do. Other programs' texts in it are escaped.
  package let sentence: String
  /// What the process ends with.
  package let status: ExitStatus

  /// A failure.
  package init(_ sentence: String, _ status: ExitStatus = .data) {
    self.sentence = sentence
    self.status = status
  }
}
