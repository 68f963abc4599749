// SPDX-License-Identifier: Apache-2.0
// Passes negative numbers to the commands, which explain the error better than the option parser.

/// Rewrites negative numbers in command lines.
package enum NegativeNumbers {
  /// The arguments with negative numbers rewritten as values: the parser takes `-5` for an unknown
  /// option.
  ///
  /// After an integer option the two become one word with `=`. Elsewhere the hyphen becomes U+2212,
  /// which starts no option.
  ///
  /// - Parameter counts: The options with an integer value.
  package static func asValues(_ arguments: [String], counts: Set<String>) -> [String] {
    var result: [String] = []
    for (index, argument) in arguments.enumerated() {
      guard isNegative(argument), !result.contains("--") else {
        result.append(argument)
        continue
      }
      if index > 0, let option = result.last, counts.contains(option) {
        result[result.count - 1] = option + "=" + argument
      } else {
        result.append("\u{2212}" + argument.dropFirst())
      }
    }
    return result
  }

  private static func isNegative(_ text: String) -> Bool {
    guard text.first == "-", let second = text.dropFirst().first else { return false }
    return second.isASCII && (second.isNumber || second == ".")
  }
}
