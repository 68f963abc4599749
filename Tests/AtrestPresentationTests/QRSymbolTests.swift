// SPDX-License-Identifier: Apache-2.0
// Specifies the QR symbols that cameras read.

import AtrestPresentation
import Testing

@Suite("A QR symbol", .timeLimit(.minutes(20)))
struct QRSymbolTests {
  @Test(
    "has the smallest version that holds the bytes, and none beyond the largest",
    arguments: [(1, 21), (17, 21), (18, 25), (78, 33), (271, 57), (272, 61), (2953, 177)])
  func sizes(count: Int, width: Int) {
    #expect(QRSymbol([UInt8](repeating: 0x61, count: count))?.width == width)
    #expect(QRSymbol([]) == nil)
    #expect(QRSymbol([UInt8](repeating: 0x61, count: 2954)) == nil)
    #expect(QRSymbol([UInt8](repeating: 0x41, count: 2954)) == nil)
  }

  @Test("has room for more capitals than other characters")
  func capitals() {
    #expect(QRSymbol(Array("ATREST:25 CHARACTERS/LONG".utf8))?.width == 21)
    #expect(QRSymbol(Array("atrest:25 characters/long".utf8))?.width == 25)
  }

  @Test("has three finders, and light around it")
  func finders() throws {
    let symbol = try #require(QRSymbol(Array("https://sync.example.org/".utf8)))
    let last = symbol.width - 7
    for (row, column) in [(0, 0), (0, last), (last, 0)] {
      #expect(symbol.isDark(row: row, column: column))
      #expect(symbol.isDark(row: row + 3, column: column + 3))
      #expect(!symbol.isDark(row: row + 1, column: column + 1))
    }
    #expect(!symbol.isDark(row: -1, column: 0) && !symbol.isDark(row: 7, column: 7))
  }
}
