// SPDX-License-Identifier: Apache-2.0
// Makes text that another program wrote safe to show. The only place that decides what is not.

extension Unicode.Scalar {
  /// Whether showing it could move a terminal's cursor, hide words, reverse them or begin a line:
  /// controls, formats (bidirectional marks among them), line and paragraph separators.
  public var steersDisplay: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}

extension String {
  /// The text with U+FFFD for every scalar that ``Swift/Unicode/Scalar/steersDisplay``.
  ///
  /// For names of devices and accounts, paths, and sentences of a server. O(n).
  public var escapedForTerminal: String {
    let scalars = unicodeScalars.map { $0.steersDisplay ? "\u{FFFD}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }

  /// ``escapedForTerminal`` for each of several lines, which stay apart.
  public var linesEscapedForTerminal: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).escapedForTerminal }.joined(separator: "\n")
  }

  /// ``escapedForTerminal`` in quotation marks that nothing in it can close.
  public var quotedForTerminal: String {
    let marks: Set<Unicode.Scalar> = ["\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\""]
    let scalars = escapedForTerminal.unicodeScalars.map { marks.contains($0) ? "'" : $0 }
    return "“\(String(String.UnicodeScalarView(scalars)))”"
  }
}
