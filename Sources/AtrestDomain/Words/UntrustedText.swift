// SPDX-License-Identifier: Apache-2.0
// Tells which characters of text that another program wrote are not safe to show. The only place
// that decides it.

extension Unicode.Scalar {
  /// Whether showing it could move a terminal's cursor, hide words, reverse them or begin a line:
  /// controls, formats (bidirectional marks among them), line and paragraph separators.
  ///
  /// The two joiners do none of it, and Persian and families in emoji are not written without.
  public var steersDisplay: Bool {
    guard self != "\u{200C}", self != "\u{200D}" else { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
