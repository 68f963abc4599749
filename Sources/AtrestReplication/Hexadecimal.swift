// SPDX-License-Identifier: Apache-2.0
// Hexadecimal text of bytes: identifiers, checksums, hashes.

/// Hexadecimal digits.
package enum Hexadecimal {
  /// Two lowercase digits for each byte.
  package static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.underestimatedCount * 2)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Sixteen lowercase digits.
  package static func encoded(_ number: UInt64) -> String {
    withUnsafeBytes(of: number.bigEndian) { encoded($0) }
  }

  /// The bytes that digits stand for, small or capital; nil for anything else. Every call's token
  /// is read by it, so it appends nothing byte by byte.
  package static func decoded(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    if digits.isEmpty { return [] }
    return digits.withUnsafeBufferPointer { digits -> [UInt8]? in
      var all: UInt8 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { buffer, count in
        count = digits.count / 2
        for index in 0..<count {
          let (high, low) = (value(digits[index &* 2]), value(digits[index &* 2 &+ 1]))
          all |= high | low
          buffer[index] = high << 4 | low & 15
        }
      }
      return all < 16 ? bytes : nil
    }
  }

  /// The value of a digit; 255 for anything else.
  private static func value(_ digit: UInt8) -> UInt8 {
    let number = digit &- UInt8(ascii: "0")
    if number < 10 { return number }
    // Bit 5 makes small letters of capitals.
    let letter = (digit | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : 255
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
