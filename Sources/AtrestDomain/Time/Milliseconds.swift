// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic on lengths of time, in whole milliseconds.

import Foundation

/// Converts lengths of time to whole milliseconds.
enum Milliseconds {
  /// The nearest whole millisecond. NaN is 0; other values are clamped to ±31,000 years, which
  /// leaves room to multiply.
  ///
  /// Instants are stored in milliseconds, and a Double cannot represent all of them. The difference
  /// of two that are sixteen hours apart can fall just short, and a fast would miss its target.
  static func whole(_ seconds: TimeInterval) -> Int {
    guard !seconds.isNaN else { return 0 }
    return Int((min(max(seconds, -1e12), 1e12) * 1000).rounded())
  }

  /// Milliseconds in a minute.
  static let perMinute = 60_000
}
