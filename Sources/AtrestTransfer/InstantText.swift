// SPDX-License-Identifier: Apache-2.0
// Parses and formats timestamps in files: ISO 8601, UTC, with seconds or milliseconds.

import AtrestDomain
import AtrestReplication

/// `1970-01-01T00:00:00Z`, with nonzero milliseconds as `.250` before the `Z`. No other form is
/// accepted.
package enum InstantText {
  /// Milliseconds since 1970; nil if malformed or outside the years 1970 to 6429.
  package static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8.prefix(32))
    guard bytes.count == text.utf8.count, bytes.count >= 20, bytes.last == UInt8(ascii: "Z")
    else { return nil }
    for (index, mark) in zip([4, 7, 10, 13, 16], "--T::".utf8) where bytes[index] != mark {
      return nil
    }
    guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let dayOfMonth = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      hour < 24, minute < 60, second < 60,
      let day = LocalDay(year: year, month: month, day: dayOfMonth)
    else { return nil }
    var fraction = 0
    switch bytes.count {
    case 20: break
    case 24:
      guard bytes[19] == UInt8(ascii: "."), let number = number(bytes[20..<23]) else { return nil }
      fraction = number
    default: return nil
    }
    // At most the year 9999: too many seconds for the 32 bits that a browser's `Int` has.
    let seconds = Int64(day.number) * 86_400 + Int64((hour * 60 + minute) * 60 + second)
    return seconds * 1000 + Int64(fraction)
  }

  /// Parses digits only.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int(byte - 0x30)
    }
    return number
  }
}

extension WallTime {
  /// The resolution of the iOS app's files: whole seconds since 1970.
  package var wholeSeconds: Int64 { max(milliseconds, 0) / 1000 }
}
