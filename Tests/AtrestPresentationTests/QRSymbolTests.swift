// SPDX-License-Identifier: Apache-2.0
// Specifies the QR symbols that cameras read.

import AtrestPresentation
import Testing

@Suite("A QR symbol", .timeLimit(.minutes(20)))
struct QRSymbolTests {
  @Test(
    "has the smallest version that holds the bytes, and none beyond the largest",
    arguments: [(1, 21), (14, 21), (15, 25), (62, 33), (122, 45), (180, 53), (181, 57), (213, 57)])
  func sizes(count: Int, width: Int) {
    #expect(QRSymbol([UInt8](repeating: 0x61, count: count))?.width == width)
    #expect(QRSymbol([]) == nil)
    #expect(QRSymbol([UInt8](repeating: 0x61, count: 214)) == nil)
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

  /// Read once with zbarimg.
  @Test("is drawn as readers expect it")
  func golden() throws {
    let symbol = try #require(QRSymbol(Array("ATREST".utf8)))
    let rows = (0..<symbol.width).map { row in
      (0..<symbol.width).map { symbol.isDark(row: row, column: $0) ? "#" : "." }.joined()
    }
    #expect(rows == Self.atrest)
  }

  private static let atrest: [String] = [
    "#######.##..#.#######",
    "#.....#.##....#.....#",
    "#.###.#...###.#.###.#",
    "#.###.#.#####.#.###.#",
    "#.###.#...#...#.###.#",
    "#.....#.......#.....#",
    "#######.#.#.#.#######",
    "........###..........",
    "#.##.###.##...#..#.##",
    "####.#.#.#..#..#.###.",
    "###.####..#.######.##",
    "#....#...##.##...#...",
    "..##..#.####.#..###..",
    "........###..#...#..#",
    "#######.#.#..##.#.#..",
    "#.....#.#.######.##.#",
    "#.###.#...##..##.#.##",
    "#.###.#.#....#.###.#.",
    "#.###.#.####.#...##..",
    "#.....#..####.###...#",
    "#######.#..##...##...",
  ]
}
