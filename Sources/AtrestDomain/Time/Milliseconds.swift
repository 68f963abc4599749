// SPDX-License-Identifier: Apache-2.0
// How lengths of time are counted exactly: in whole milliseconds, as they are stored.

import Foundation

/// Counts lengths of time in whole milliseconds.
enum Milliseconds {
  /// The nearest whole millisecond. What is not a number is 0; what cannot be stored is the most
  /// that can be counted with room to multiply: 31,000 years.
  ///
  /// Instants are stored in milliseconds, and a Double cannot hold every one of them: subtracting
  /// two that are sixteen hours apart can give a hair less, and a fast would miss its target by it.
  static func whole(_ seconds: TimeInterval) -> Int {
    guard !seconds.isNaN else { return 0 }
    return Int((min(max(seconds, -1e12), 1e12) * 1000).rounded())
  }

  /// Milliseconds in a minute.
  static let perMinute = 60_000
}
