// SPDX-License-Identifier: Apache-2.0
// An error in a scenario file: position, expected and found content.

/// An error in a scenario file. Nothing was played.
package struct ScenarioError: Error, Hashable, Sendable {
  /// The file as given.
  package let file: String
  /// The line, from 1; 0 for the whole file.
  package let line: Int
  /// What was expected and found, without a full stop.
  package let problem: String

  /// The message, such as `Scenarios/x.yaml:12: expected a duration such as 16h, found “sixteen”`.
  package var userMessage: String {
    line > 0 ? "\(file):\(line): \(problem)" : "\(file): \(problem)"
  }
}
