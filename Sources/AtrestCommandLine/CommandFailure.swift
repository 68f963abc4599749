// SPDX-License-Identifier: Apache-2.0
// Why a command ends without success: what people are told, and what scripts are.

/// Ends a command. The sentence goes to standard error.
public struct CommandFailure: Error, Equatable {
  /// Whole sentences: what happened, then what to do. Other programs' texts in it are escaped.
  public let sentence: String
  /// What the process ends with.
  public let status: ExitStatus

  /// A failure.
  public init(_ sentence: String, _ status: ExitStatus = .data) {
    self.sentence = sentence
    self.status = status
  }
}
