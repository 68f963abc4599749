// SPDX-License-Identifier: Apache-2.0
// The sizes of QR symbols, and their codewords: data with error correction, interleaved.

/// A version of the standard, at error correction level M.
struct QRVersion {
  let number: Int
  /// Codewords in all.
  let total: Int
  /// Codewords of error correction in each block.
  let correction: Int
  let blocks: Int
  /// The middles of the alignment patterns, in both directions.
  let alignment: [Int]

  /// Source: ISO/IEC 18004:2015, tables 9 and E.1.
  static let all: [QRVersion] = [
    QRVersion(number: 1, total: 26, correction: 10, blocks: 1, alignment: []),
    QRVersion(number: 2, total: 44, correction: 16, blocks: 1, alignment: [6, 18]),
    QRVersion(number: 3, total: 70, correction: 26, blocks: 1, alignment: [6, 22]),
    QRVersion(number: 4, total: 100, correction: 18, blocks: 2, alignment: [6, 26]),
    QRVersion(number: 5, total: 134, correction: 24, blocks: 2, alignment: [6, 30]),
    QRVersion(number: 6, total: 172, correction: 16, blocks: 4, alignment: [6, 34]),
    QRVersion(number: 7, total: 196, correction: 18, blocks: 4, alignment: [6, 22, 38]),
    QRVersion(number: 8, total: 242, correction: 22, blocks: 4, alignment: [6, 24, 42]),
    QRVersion(number: 9, total: 292, correction: 22, blocks: 5, alignment: [6, 26, 46]),
    QRVersion(number: 10, total: 346, correction: 26, blocks: 5, alignment: [6, 28, 50]),
  ]

  /// Modules per side.
  var width: Int { 17 + 4 * number }

  private var dataCount: Int { total - correction * blocks }
  private var lengthBits: Int { number < 10 ? 8 : 16 }

  /// The most bytes that fit, after the mode's four bits and the length.
  var capacityBytes: Int { dataCount - (4 + lengthBits + 7) / 8 }

  /// The codewords in the order of placement.
  ///
  /// - Parameter bytes: At most `capacityBytes`.
  func codewords(of bytes: [UInt8]) -> [UInt8] {
    var bits = BitWriter()
    bits.append(0b0100, count: 4)
    bits.append(bytes.count, count: lengthBits)
    for byte in bytes { bits.append(Int(byte), count: 8) }
    // The terminator's four bits also fill the last byte: four of it are taken by the mode.
    bits.append(0, count: 4)
    var data = bits.bytes
    var isFirst = true
    while data.count < dataCount {
      data.append(isFirst ? 0xEC : 0x11)
      isFirst.toggle()
    }

    let short = dataCount / blocks
    let longer = dataCount % blocks
    var parts: [[UInt8]] = []
    var start = 0
    for block in 0..<blocks {
      let count = short + (block < blocks - longer ? 0 : 1)
      parts.append(Array(data[start..<(start + count)]))
      start += count
    }
    let corrections = parts.map { ReedSolomon.correction(of: $0, count: correction) }
    var words: [UInt8] = []
    for index in 0...short {
      for part in parts where index < part.count { words.append(part[index]) }
    }
    for index in 0..<correction {
      for each in corrections { words.append(each[index]) }
    }
    return words
  }
}

private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func append(_ value: Int, count bits: Int) {
    for index in stride(from: bits - 1, through: 0, by: -1) {
      if count.isMultiple(of: 8) { bytes.append(0) }
      if value >> index & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
      count += 1
    }
  }
}

/// Reed-Solomon codes over the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1.
private enum ReedSolomon {
  /// The remainder of the data by the product of x - 2^i for each codeword i of error correction.
  static func correction(of data: [UInt8], count: Int) -> [UInt8] {
    // The leading coefficient, which is 1, is left out.
    var generator = [UInt8](repeating: 0, count: count)
    generator[count - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in 0..<count {
        generator[index] = product(generator[index], root)
        if index + 1 < count { generator[index] ^= generator[index + 1] }
      }
      root = product(root, 2)
    }
    var rest = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in 0..<count { rest[index] ^= product(generator[index], factor) }
    }
    return rest
  }

  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var result: UInt8 = 0
    for index in stride(from: 7, through: 0, by: -1) {
      result = result << 1 ^ (result >> 7) * 0x1D
      if b >> UInt8(index) & 1 == 1 { result ^= a }
    }
    return result
  }
}
