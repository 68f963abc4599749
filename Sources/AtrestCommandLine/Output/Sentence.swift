// SPDX-License-Identifier: Apache-2.0
// Makes a sentence of a phrase.

extension String {
  /// The string with a capital first letter and a full stop.
  public var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") || text.hasSuffix("!") || text.hasSuffix("?") ? text : text + "."
  }
}
