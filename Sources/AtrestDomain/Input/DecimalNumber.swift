// SPDX-License-Identifier: Apache-2.0
// Reads decimal numbers without the C library, on which the standard library's `Double(_:)` relies.

/// Decimal numbers as text.
enum DecimalNumber {
  /// Reads `16`, `-2.5` or `+.5`; nil for anything else, exponents among them.
  ///
  /// Up to 15 digits the result is the nearest `Double`: a quotient of two exact ones. Digits after
  /// the eighteenth are too small to matter and are left out.
  /// Source: Clinger, "How to Read Floating Point Numbers Accurately", 1990, the simple case.
  static func value(_ text: some Sequence<UInt8>) -> Double? {
    var (mantissa, digits, fraction) = (UInt64(0), 0, 0)
    var (isNegative, sawPoint, isFirst) = (false, false, true)
    for byte in text {
      defer { isFirst = false }
      switch byte {
      case UInt8(ascii: "-") where isFirst: isNegative = true
      case UInt8(ascii: "+") where isFirst: break
      case UInt8(ascii: ".") where !sawPoint: sawPoint = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits += 1
        if mantissa < 100_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
          if sawPoint { fraction += 1 }
        } else if !sawPoint {
          fraction -= 1
        }
      default: return nil
      }
    }
    guard digits > 0 else { return nil }
    // Further zeros before the point are beyond every limit, and further zeros after it too small.
    var power = 1.0
    for _ in 0..<min(abs(fraction), 400) { power *= 10 }
    let value = fraction < 0 ? Double(mantissa) * power : Double(mantissa) / power
    return isNegative ? -value : value
  }

  /// Reads the same with an exponent behind it, `1.5e3`. What is too large is infinite.
  static func value(scientific text: String) -> Double? {
    let bytes = Array(text.utf8)
    let mark = bytes.firstIndex { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
    guard let value = value(bytes[..<(mark ?? bytes.endIndex)]) else { return nil }
    guard let mark else { return value }
    guard let exponent = Int(String(decoding: bytes[(mark + 1)...], as: UTF8.self)) else {
      return nil
    }
    var power = 1.0
    for _ in 0..<min(exponent.magnitude, 400) { power *= 10 }
    return exponent < 0 ? value / power : value * power
  }
}
