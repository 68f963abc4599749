// SPDX-License-Identifier: Apache-2.0
// The sizes of QR symbols, and their codewords: data with error correction, interleaved.

/// A version of the standard, at error correction level L.
struct QRVersion {
  /// 1 to 40.
  let number: Int
  /// Codewords of error correction in each block.
  private let correction: Int
  private let blocks: Int

  private init(number: Int, correction: Int, blocks: Int) {
    (self.number, self.correction, self.blocks) = (number, correction, blocks)
  }

  /// The smallest that has room for a segment; nil if none has.
  init?(for segment: QRSegment) {
    let fitting = Self.all.first { version in
      segment.bits(in: version) <= version.dataCount * 8
    }
    guard let fitting else { return nil }
    self = fitting
  }

  /// Source: ISO/IEC 18004:2015, table 9.
  private static let all = zip(
    [
      7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30,
      26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    [
      1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14,
      15,
      16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ]
  ).enumerated().map { QRVersion(number: $0 + 1, correction: $1.0, blocks: $1.1) }

  /// Modules per side.
  var width: Int { 17 + 4 * number }

  /// The middles of the alignment patterns, in both directions.
  ///
  /// Source: ISO/IEC 18004:2015, annex E: from the far edge at even distances, the first at 6.
  var alignment: [Int] {
    guard number > 1 else { return [] }
    let count = number / 7 + 2
    let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
    return [6] + (0..<(count - 1)).map { width - 7 - $0 * step }.reversed()
  }

  /// Codewords in all: the modules that no pattern takes.
  private var total: Int {
    let side = number > 1 ? number / 7 + 2 : 0
    // The alignment patterns but those at three corners; ten of their modules are in each timing
    // pattern that they cross.
    let aligned = number > 1 ? (25 * side - 10) * side - 55 : 0
    return ((16 * number + 128) * number + 64 - aligned - (number >= 7 ? 36 : 0)) / 8
  }

  private var dataCount: Int { total - correction * blocks }

  /// The codewords in the order of placement.
  ///
  /// - Parameter segment: One that fits.
  func codewords(of segment: QRSegment) -> [UInt8] {
    var bits = QRBits()
    segment.write(to: &bits, in: self)
    // The terminator, as far as there is room.
    bits.append(0, count: min(4, dataCount * 8 - bits.count))
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
