// SPDX-License-Identifier: Apache-2.0
// Makes text that another program wrote safe to show on a terminal and in a log.

import AtrestDomain

extension String {
  /// The text with U+FFFD for every scalar that steers a display: controls, line ends, marks of
  /// direction.
  ///
  /// For names of devices and accounts, paths, and sentences of a server. O(n).
  public var escapedForTerminal: String { escapedForDisplay }

  /// ``escapedForTerminal`` for each of several lines, which stay apart.
  public var linesEscapedForTerminal: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).escapedForTerminal }.joined(separator: "\n")
  }

  /// ``escapedForTerminal`` in quotation marks that nothing in it can close.
  public var quotedForTerminal: String { quotedForDisplay }
}
