// SPDX-License-Identifier: Apache-2.0
// Lets people hear from the command what is wrong with a negative number, and not from the parser
// of options.

/// Numbers below zero in a command line.
enum NegativeNumbers {
  /// Options whose value is a whole number.
  private static let counts: Set = ["--days", "--limit", "--devices", "--edits"]

  /// The arguments, with negative numbers written so that the parser takes them for values: to it
  /// `-5` is an unknown option.
  ///
  /// Behind an option that counts, the two become one word; elsewhere the hyphen becomes a minus
  /// sign, which no option begins with.
  static func asValues(_ arguments: [String]) -> [String] {
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
