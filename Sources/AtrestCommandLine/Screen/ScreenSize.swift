// SPDX-License-Identifier: Apache-2.0
// The size of a terminal.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Columns and rows of a terminal.
public struct ScreenSize: Hashable, Sendable {
  /// Characters in a row.
  public var columns: Int
  /// Rows on the screen.
  public var rows: Int

  /// A size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The size of a terminal that does not report one.
  public static let usual = ScreenSize(columns: 80, rows: 24)

  /// The size of the terminal on a descriptor.
  public static func current(_ descriptor: Int32 = STDOUT_FILENO) -> ScreenSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return usual
    }
    return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
