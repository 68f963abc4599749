// SPDX-License-Identifier: Apache-2.0
// How wide a terminal is, and that help fits on a narrow one.

import Foundation

/// The width of what a program answers on.
package enum TerminalWidth {
  /// The narrowest page of help. The parser sets descriptions behind 26 columns, and fails where it
  /// has no more.
  private static let leastHelpColumns = 40

  /// Columns of the terminal on standard output; nil where there is none, or it does not say.
  package static var columns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Tells the parser of commands of at least as many columns as a page of help needs. Before any
  /// other thread runs.
  package static func widenHelp() {
    let said = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? columns
    guard let said, said < leastHelpColumns else { return }
    setenv("COLUMNS", String(leastHelpColumns), 1)
  }
}
