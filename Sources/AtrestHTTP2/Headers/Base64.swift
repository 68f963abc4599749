// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes `-bin` values: unpadded on output, padded or not on input.

/// Base64 of RFC 4648, section 4.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        out.append(alphabet[Int(bits >> bitCount & 63)])
      }
      bits &= 63
    }
    if bitCount > 0 { out.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    return out
  }

  /// Nil for a character outside the alphabet, an impossible length, wrong padding, or non-zero
  /// trailing bits.
  static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    var body = text[...]
    var padding = 0
    while body.last == 0x3D, padding < 2 {
      body = body.dropLast()
      padding += 1
    }
    let count = body.count
    guard count % 4 != 1, padding == 0 || (count + padding) % 4 == 0 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in body {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        out.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= 1 << bitCount - 1
      }
    }
    return bits == 0 ? out : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x61 + 26
    case 0x30...0x39: UInt32(character) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
