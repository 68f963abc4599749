// SPDX-License-Identifier: Apache-2.0
// The bits of a text in a QR symbol: two characters in 11 bits if all are capitals, else bytes.

/// The text of a symbol.
enum QRSegment {
  /// Digits, capitals and ` $%*+-./:`, as their places in `alphabet`.
  case alphanumeric([Int])
  case bytes([UInt8])

  /// Source: ISO/IEC 18004:2015, table 5.
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

  init(_ bytes: [UInt8]) {
    let places = bytes.compactMap { byte in Self.alphabet.firstIndex(of: byte) }
    self = places.count == bytes.count ? .alphanumeric(places) : .bytes(bytes)
  }

  private var count: Int {
    switch self {
    case .alphanumeric(let places): places.count
    case .bytes(let bytes): bytes.count
    }
  }

  /// The bits that tell the length.
  private func lengthBits(in version: QRVersion) -> Int {
    switch self {
    case .alphanumeric: version.number < 10 ? 9 : version.number < 27 ? 11 : 13
    case .bytes: version.number < 10 ? 8 : 16
    }
  }

  /// The length in bits, mode and length included.
  func bits(in version: QRVersion) -> Int {
    let content =
      switch self {
      case .alphanumeric: count / 2 * 11 + count % 2 * 6
      case .bytes: count * 8
      }
    return 4 + lengthBits(in: version) + content
  }

  func write(to bits: inout QRBits, in version: QRVersion) {
    switch self {
    case .alphanumeric(let places):
      bits.append(0b0010, count: 4)
      bits.append(count, count: lengthBits(in: version))
      for start in stride(from: 0, to: places.count, by: 2) {
        if start + 1 < places.count {
          bits.append(places[start] * 45 + places[start + 1], count: 11)
        } else {
          bits.append(places[start], count: 6)
        }
      }
    case .bytes(let bytes):
      bits.append(0b0100, count: 4)
      bits.append(count, count: lengthBits(in: version))
      for byte in bytes { bits.append(Int(byte), count: 8) }
    }
  }
}

/// Bits, the most significant first, in bytes that are filled up with zeros.
struct QRBits {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  mutating func append(_ value: Int, count bits: Int) {
    for index in stride(from: bits - 1, through: 0, by: -1) {
      if count.isMultiple(of: 8) { bytes.append(0) }
      if value >> index & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
      count += 1
    }
  }
}
