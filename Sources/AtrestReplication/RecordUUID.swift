// SPDX-License-Identifier: Apache-2.0
// The id of a fast or a drink: sixteen bytes, and their text.

/// A UUID as the id of a record. This module draws no random numbers, so whoever creates a record
/// supplies the bytes.
///
/// The text is that of RFC 9562, section 4, in capitals, as the iOS app writes it.
public struct RecordUUID: Hashable, Comparable, Sendable {
  /// The first eight bytes, big-endian.
  private let high: UInt64
  /// The last eight bytes, big-endian.
  private let low: UInt64

  /// Creates an id from its 16 bytes; nil for any other number. No allocation.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    // Plain loops: every record that a server takes passes here.
    var (high, low): (UInt64, UInt64) = (0, 0)
    for index in 0..<8 {
      high = high << 8 | UInt64(bytes[index])
      low = low << 8 | UInt64(bytes[index + 8])
    }
    (self.high, self.low) = (high, low)
  }

  /// The same from bytes that are somewhere else.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Reads 32 hexadecimal digits, small or capital, in groups of 8, 4, 4, 4 and 12 with a hyphen
  /// between them; nil for anything else.
  public init?(uuidString text: String) {
    let characters = Array(text.utf8)
    guard characters.count == 36 else { return nil }
    var digits: [UInt8] = []
    for (place, character) in characters.enumerated() {
      if Self.hyphens.contains(place) {
        guard character == UInt8(ascii: "-") else { return nil }
      } else {
        digits.append(character)
      }
    }
    guard let bytes = Hexadecimal.decoded(digits[...]) else { return nil }
    self.init(bytes: bytes)
  }

  private static let hyphens: Set = [8, 13, 18, 23]

  /// The 16 bytes, in the order of the text.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for half in [high, low] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: half >> shift))
      }
    }
    return bytes
  }

  /// The text, such as `3F2A0000-0000-4000-8000-00000000000B`.
  public var uuidString: String {
    var text: [UInt8] = []
    for digit in Hexadecimal.encoded(bytes).utf8 {
      if Self.hyphens.contains(text.count) { text.append(UInt8(ascii: "-")) }
      text.append(digit >= UInt8(ascii: "a") ? digit - 0x20 : digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Orders ids by their bytes, which is the order of their texts.
  public static func < (a: RecordUUID, b: RecordUUID) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }
}

extension RecordUUID: CustomStringConvertible {
  /// The text.
  public var description: String { uuidString }
}
