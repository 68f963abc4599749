// SPDX-License-Identifier: Apache-2.0
// Decodes canonical base64 only, and encodes it.

/// Decodes base64 as JWS (RFC 7515, URL alphabet, unpadded) and `x5c` (RFC 4648, padded) use it.
///
/// Text that a lenient decoder would also accept, with foreign characters, stray bits or missing
/// padding, is rejected, so that a statement cannot be rewritten without detection.
package enum StrictBase64 {
  /// Decodes the URL alphabet without padding; nil for non-canonical text.
  package static func url(_ text: some Collection<UInt8>) -> [UInt8]? {
    decode(text, UInt8(ascii: "-"), UInt8(ascii: "_"))
  }

  /// Decodes the standard alphabet with padding; nil for non-canonical text.
  package static func padded(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return decode(text.dropLast(padding), UInt8(ascii: "+"), UInt8(ascii: "/"))
  }

  /// Encodes in the standard alphabet with padding.
  package static func encoded(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        text.append(
          index <= group.count
            ? alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func decode(
    _ text: some Collection<UInt8>, _ character62: UInt8, _ character63: UInt8
  ) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      let value: UInt8
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
      case character62: value = 62
      case character63: value = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }
}
