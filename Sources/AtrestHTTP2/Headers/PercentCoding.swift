// SPDX-License-Identifier: Apache-2.0
// Encodes Unicode `grpc-message` text as printable ASCII.

/// Source: grpc/grpc doc/PROTOCOL-HTTP2.md, "Status-Message".
enum PercentCoding {
  /// Percent-encodes `%` and all bytes outside 0x20-0x7E, with upper-case hex digits. Truncates to
  /// `limitBytes` at a scalar boundary.
  static func encode(_ text: String, limitBytes: Int) -> [UInt8] {
    var out: [UInt8] = []
    for scalar in text.unicodeScalars {
      var piece: [UInt8] = []
      for byte in UTF8.encode(scalar).map(Array.init) ?? [] {
        if (0x20...0x7E).contains(byte), byte != 0x25 {
          piece.append(byte)
        } else {
          piece += [0x25, hexDigit(byte >> 4), hexDigit(byte & 15)]
        }
      }
      if out.count + piece.count > limitBytes { break }
      out += piece
    }
    // RFC 9113 forbids leading and trailing spaces in a field value; stacks reject or strip them.
    let escapedSpace: [UInt8] = [0x25, 0x32, 0x30]
    if out.last == 0x20, out.count + 2 <= limitBytes {
      out.replaceSubrange(out.count - 1..<out.count, with: escapedSpace)
    }
    if out.first == 0x20, out.count + 2 <= limitBytes {
      out.replaceSubrange(0..<1, with: escapedSpace)
    }
    return Array(out.trimmingSpaces())
  }

  /// Decodes percent-encoded text. Incomplete escapes stay as they are; invalid UTF-8 becomes
  /// U+FFFD.
  static func decode(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0x25, index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
        let low = hexValue(bytes[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
      } else {
        out.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x41 + value - 10
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
