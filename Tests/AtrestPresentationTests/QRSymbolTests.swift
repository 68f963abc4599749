// SPDX-License-Identifier: Apache-2.0
// Specifies the QR symbols that cameras read.

import AtrestPresentation
import AtrestReplication
import AtrestWire
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

  /// Version 8 has alignment patterns, the version's bits, and two blocks, interleaved. Compared
  /// once with libqrencode's symbol for the same text: it has another mask, and is equal without.
  @Test("of many bytes is, module for module, what it was when it was compared with another's")
  func golden() throws {
    let text =
      "atrest://sync.example.org:7443/"
      + "7849994b35978ab166f4d857500012d9501d65650e669c685e23ac8367b8382f/BCDF-GHJKLMNP "
      + "the quick brown fox jumps over the lazy dog, twice, and once more"
    let symbol = try #require(QRSymbol(Array(text.utf8)))
    #expect(symbol.width == 49)
    let modules = (0..<49).flatMap { row in
      (0..<49).map { UInt8(ascii: symbol.isDark(row: row, column: $0) ? "1" : "0") }
    }
    #expect(
      Hexadecimal.encoded(PortableSHA256.hash(modules))
        == "64e8e21da8fd331eb233fcf60c7262feb5da1c6a64465619e93acaf23dd54105")
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
