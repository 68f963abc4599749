// SPDX-License-Identifier: Apache-2.0
// Parses and formats `grpc-timeout`: one to eight digits and a unit, saturating.

/// Source: grpc/grpc doc/PROTOCOL-HTTP2.md, "Timeout".
enum CallTimeout {
  /// Nanoseconds, or nil if malformed. Saturates: 99,999,999 hours overflow 64 bits.
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard (2...9).contains(bytes.count), let last = bytes.last else { return nil }
    var value: UInt64 = 0
    for digit in bytes.dropLast() {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + UInt64(digit - 0x30)
    }
    let unit: UInt64
    switch last {
    case UInt8(ascii: "H"): unit = 3_600_000_000_000
    case UInt8(ascii: "M"): unit = 60_000_000_000
    case UInt8(ascii: "S"): unit = 1_000_000_000
    case UInt8(ascii: "m"): unit = 1_000_000
    case UInt8(ascii: "u"): unit = 1_000
    case UInt8(ascii: "n"): unit = 1
    default: return nil
    }
    let (nanoseconds, overflow) = value.multipliedReportingOverflow(by: unit)
    return overflow ? .max : nanoseconds
  }

  /// Uses the finest unit in which the number fits eight digits. Rounds up, so the timeout is never
  /// shorter than requested.
  static func encode(nanoseconds: UInt64) -> String {
    let units: [(UInt64, String)] = [
      (1, "n"), (1_000, "u"), (1_000_000, "m"), (1_000_000_000, "S"), (60_000_000_000, "M"),
      (3_600_000_000_000, "H"),
    ]
    for (unit, letter) in units {
      let count = nanoseconds / unit + (nanoseconds % unit == 0 ? 0 : 1)
      if count <= 99_999_999 { return "\(count)\(letter)" }
    }
    return "99999999H"
  }
}
