// SPDX-License-Identifier: Apache-2.0
// What is wrong with a scenario file: where, what was expected, and what is there instead.

/// A flaw in a scenario file. Nothing was played.
package struct ScenarioError: Error, Hashable, Sendable {
  /// The file, as it was given.
  package let file: String
  /// The line, from 1; 0 if it is the file as a whole.
  package let line: Int
  /// What was expected and what was found, without a full stop.
  package let problem: String

  /// `Scenarios/x.yaml:12: expected a duration such as 16h, found “sixteen”`.
  package var userMessage: String {
    line > 0 ? "\(file):\(line): \(problem)" : "\(file): \(problem)"
  }
}
