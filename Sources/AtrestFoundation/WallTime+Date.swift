// SPDX-License-Identifier: Apache-2.0
// Converts Foundation's dates to wall times and back.

import AtrestReplication
import Foundation

extension WallTime {
  /// The nearest whole millisecond, clamped to 31,000 years from 1970.
  public init(_ date: Date) {
    let limit = 1e15
    let exact = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(milliseconds: exact.isNaN ? 0 : Int64(min(max(exact, -limit), limit)))
  }

  /// The time as Foundation's date. A `Double` of seconds: it may be off by a fraction of a
  /// millisecond, which rounding takes back.
  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
