// SPDX-License-Identifier: Apache-2.0
// Keeps help readable on a terminal that is narrower than its pages.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How wide the pages of help are.
enum HelpWidth {
  /// The narrowest page. The parser sets descriptions behind 26 columns, and fails where it has no more.
  private static let leastColumns = 40

  /// Tells the parser of at least so many columns. Before any other thread runs.
  static func widen() {
    let said = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
    guard (said ?? Terminal.columns) < leastColumns else { return }
    setenv("COLUMNS", String(leastColumns), 1)
  }
}
