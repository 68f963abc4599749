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
struct ScreenSize: Hashable, Sendable {
  var columns: Int
  var rows: Int

  /// The size of a terminal that does not report one.
  static let usual = ScreenSize(columns: 80, rows: 24)

  /// The size of the terminal on a descriptor.
  static func current(_ descriptor: Int32 = STDOUT_FILENO) -> ScreenSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return usual
    }
    return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
