// SPDX-License-Identifier: Apache-2.0
// Encodes bytes as the smallest QR symbol that holds them.

/// A QR symbol: a square of dark and light modules.
///
/// Source: ISO/IEC 18004:2015, at the lowest error correction: a screen has no scratches.
package struct QRSymbol: Equatable {
  /// The light modules around it that a reader needs.
  package static let quietZone = 4

  private static let limitBytes = 2953

  /// Modules per side.
  package private(set) var width: Int
  /// Row by row from the top, left to right; true is dark.
  package private(set) var modules: [Bool]
  /// Finder, timing and alignment patterns, format and version: what data and masks leave alone.
  private var isFixed: [Bool]

  /// Encodes bytes.
  ///
  /// - Returns: nil if there are none, or more than 2,953.
  /// - Complexity: O(modules), eight times over: one for each mask.
  package init?(_ bytes: [UInt8]) {
    let segment = QRSegment(bytes)
    guard !bytes.isEmpty, bytes.count <= Self.limitBytes, let version = QRVersion(for: segment)
    else { return nil }
    width = version.width
    modules = Array(repeating: false, count: width * width)
    isFixed = modules
    drawPatterns(version)
    place(version.codewords(of: segment))
    let masked = (0..<8).map { drawn(mask: $0) }
    guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
    self = best
  }

  /// Whether a module is dark. Modules outside the symbol are light.
  package func isDark(row: Int, column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
  }

  private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return }
    modules[row * width + column] = isDark
    isFixed[row * width + column] = true
  }

  // MARK: Patterns

  private mutating func drawPatterns(_ version: QRVersion) {
    for index in 0..<width {
      fix(6, index, index.isMultiple(of: 2))
      fix(index, 6, index.isMultiple(of: 2))
    }
    for (top, left) in [(0, 0), (0, width - 7), (width - 7, 0)] {
      for row in -1...7 {
        for column in -1...7 {
          // Rings around the middle: dark up to 1, light 2, dark 3, and the light separator 4.
          let ring = max(abs(row - 3), abs(column - 3))
          fix(top + row, left + column, ring != 2 && ring != 4)
        }
      }
    }
    let middles = version.alignment
    for row in middles {
      for column in middles {
        let isAtFinder =
          (row == 6 && (column == 6 || column == width - 7)) || (row == width - 7 && column == 6)
        if isAtFinder { continue }
        for (y, x) in (-2...2).flatMap({ y in (-2...2).map { (y, $0) } }) {
          fix(row + y, column + x, max(abs(y), abs(x)) != 1)
        }
      }
    }
    drawFormat(mask: 0)
    guard version.number >= 7 else { return }
    let bits = version.number << 12 | Self.remainder(version.number << 12, by: 0x1F25)
    for index in 0..<18 {
      let (isDark, a, b) = (bits >> index & 1 == 1, width - 11 + index % 3, index / 3)
      fix(a, b, isDark)
      fix(b, a, isDark)
    }
  }

  /// Level L, whose bits are 01, and the mask, twice.
  private mutating func drawFormat(mask: Int) {
    let content = (0b01 << 3 | mask) << 10
    let bits = (content | Self.remainder(content, by: 0x537)) ^ 0x5412
    func isDark(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0..<6 { fix(index, 8, isDark(index)) }
    fix(7, 8, isDark(6))
    fix(8, 8, isDark(7))
    fix(8, 7, isDark(8))
    for index in 9..<15 { fix(8, 14 - index, isDark(index)) }
    for index in 0..<8 { fix(8, width - 1 - index, isDark(index)) }
    for index in 8..<15 { fix(width - 15 + index, 8, isDark(index)) }
    fix(width - 8, 8, true)
  }

  /// The remainder of a binary polynomial.
  private static func remainder(_ value: Int, by generator: Int) -> Int {
    let degree = Int.bitWidth - 1 - generator.leadingZeroBitCount
    var value = value
    while value >= 1 << degree {
      value ^= generator << (Int.bitWidth - 1 - value.leadingZeroBitCount - degree)
    }
    return value
  }

  // MARK: Data

  /// Fills the free modules in columns of two, upwards and downwards, from the right.
  private mutating func place(_ codewords: [UInt8]) {
    var index = 0
    var isUpwards = true
    for right in [stride(from: width - 1, to: 6, by: -2), stride(from: 5, to: 0, by: -2)].joined() {
      for step in 0..<width {
        let row = isUpwards ? width - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * width + column] {
          // What is left over at the end stays light.
          guard index < codewords.count * 8 else { continue }
          modules[row * width + column] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
          index += 1
        }
      }
      isUpwards.toggle()
    }
  }

  private func drawn(mask: Int) -> QRSymbol {
    var copy = self
    for row in 0..<width {
      for column in 0..<width where !isFixed[row * width + column] {
        let product = row * column
        let isInverted =
          switch mask {
          case 0: (row + column) % 2 == 0
          case 1: row % 2 == 0
          case 2: column % 3 == 0
          case 3: (row + column) % 3 == 0
          case 4: (row / 2 + column / 3) % 2 == 0
          case 5: product % 2 + product % 3 == 0
          case 6: (product % 2 + product % 3) % 2 == 0
          default: ((row + column) % 2 + product % 3) % 2 == 0
          }
        if isInverted { copy.modules[row * width + column].toggle() }
      }
    }
    copy.drawFormat(mask: mask)
    return copy
  }

  /// How hard it is to read: runs, blocks, what looks like a finder, and imbalance.
  private var penalty: Int {
    var penalty = 0
    for line in 0..<width {
      for isRow in [true, false] {
        func isDark(_ index: Int) -> Bool {
          isRow ? modules[line * width + index] : modules[index * width + line]
        }
        var run = 0
        for index in 0..<width {
          run = index > 0 && isDark(index) == isDark(index - 1) ? run + 1 : 1
          if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        for start in 0..<(width - 10) {
          let seen = (0..<11).reduce(0) { $0 << 1 | (isDark(start + $1) ? 1 : 0) }
          if seen == 0b101_1101_0000 || seen == 0b000_0101_1101 { penalty += 40 }
        }
      }
    }
    for row in 0..<(width - 1) {
      for column in 0..<(width - 1) {
        let place = row * width + column
        let here = modules[place]
        if modules[place + 1] == here, modules[place + width] == here,
          modules[place + width + 1] == here
        {
          penalty += 3
        }
      }
    }
    let dark = modules.reduce(0) { $0 + ($1 ? 1 : 0) }
    return penalty + abs(dark * 20 - modules.count * 10) / modules.count * 10
  }
}
