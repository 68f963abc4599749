// SPDX-License-Identifier: Apache-2.0
// Measures the terminal and keeps help usable on narrow ones.

import Foundation

/// The width of the terminal on standard output.
package enum TerminalWidth {
  /// The narrowest help page in columns. The parser indents descriptions by 26 columns and fails if
  /// none are left.
  private static let leastHelpColumns = 40

  /// Columns of the terminal on standard output; nil if it is no terminal or reports no size.
  package static var columns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Raises `COLUMNS` to what a help page needs. Calls `setenv`, so it must run before any other
  /// thread starts.
  package static func widenHelp() {
    let said = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? columns
    guard let said, said < leastHelpColumns else { return }
    setenv("COLUMNS", String(leastHelpColumns), 1)
  }
}
