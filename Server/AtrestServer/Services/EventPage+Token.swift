// SPDX-License-Identifier: Apache-2.0
// What the token of a page of events says: the number of the last event before the page.

import AtrestDomain
import AtrestHTTP2
import AtrestWire

extension EventPage {
  /// The event after which a page goes on; nil for the page of the newest events.
  ///
  /// - Throws: INVALID_ARGUMENT for what no page had as its token.
  static func lastNumber(before token: String) throws(Status) -> UInt64? {
    guard !token.isEmpty else { return nil }
    guard let number = UInt64(token), number > 0 else {
      throw Status(WireError.invalid("no page of events has this token"))
    }
    return number
  }

  /// The token of the page after some events.
  ///
  /// - Parameter found: How many events there were to show, of which the last may be left out.
  /// - Returns: An empty token if all of them are shown.
  static func token(after shown: [AccountEvent], of found: Int) -> String {
    guard found > shown.count, let last = shown.last else { return "" }
    return String(last.number)
  }
}
