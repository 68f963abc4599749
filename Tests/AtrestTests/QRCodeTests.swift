// SPDX-License-Identifier: Apache-2.0
// The QR code of a pairing link: correct, readable on every terminal, and small enough.

import AtrestClient
import AtrestCommandLine
import Testing

@testable import atrest

@Suite("The QR code of a pairing link", .timeLimit(.minutes(20)))
struct QRCodeTests {
  private static let link =
    "atrest://192.168.178.20:7443/\(String(repeating: "0123456789abcdef", count: 4))/BCDF-GHJKLMNP"

  /// Decodes a picture into dark and light modules, including the quiet zone.
  private func modules(_ picture: String) -> [[Bool]] {
    picture.split(separator: "\n").flatMap { line -> [[Bool]] in
      var (upper, lower): ([Bool], [Bool]) = ([], [])
      for character in line {
        switch character {
        case "█": (upper, lower) = (upper + [false], lower + [false])
        case "▀": (upper, lower) = (upper + [false], lower + [true])
        case "▄": (upper, lower) = (upper + [true], lower + [false])
        case " ": (upper, lower) = (upper + [true], lower + [true])
        default: Issue.record("a character that is no half block")
        }
      }
      return [upper, lower]
    }
  }

  @Test(
    "is in the picture module by module, with four light ones around it",
    arguments: [
      link, "atrest://[fe80::1]:7443/ca/BCDF-GHJKLMNP", "a", String(repeating: "x", count: 700),
    ])
  func picture(text: String) throws {
    let code = try #require(QRCode(text))
    let rows = modules(code.picture(isColoured: false))
    let zone = QRCode.quietZone
    let symbol = zone..<code.columns - zone
    #expect(zone == 4)
    #expect(rows.count >= code.columns && rows.allSatisfy { $0.count == code.columns })
    for row in 0..<code.columns {
      for column in 0..<code.columns {
        let isInside = symbol.contains(row) && symbol.contains(column)
        #expect(
          rows[row][column] == (isInside && code.isDark(row: row - zone, column: column - zone)))
      }
    }
  }

  /// Drawn by libqrencode, and read once with zbarimg on a screenshot.
  @Test("is what others draw for the same text")
  func golden() throws {
    let code = try #require(QRCode("ATREST"))
    #expect(code.width == 21)
    let rows = (0..<21).map { row in
      (0..<21).map { code.isDark(row: row, column: $0) ? "#" : "." }.joined()
    }
    #expect(rows == Self.atrest)
  }

  @Test(
    "fits a terminal of 80 columns and 24 rows with a usual link, and says the same in capitals")
  func fits() throws {
    let code = try #require(QRCode.ofLink(Self.link))
    #expect(code.columns <= 80 && (code.columns + 1) / 2 <= 22)
    #expect(
      try PairingLink(parsing: Self.link.uppercased()) == PairingLink(parsing: Self.link))
    for text in [
      "atrest://[fe80::1]:7443/CA/bcdf-ghjklmnp", "ATREST://EXAMPLE.ORG:7443/CA/BCDF-GHJKLMNP",
    ] {
      #expect(try PairingLink(parsing: text) == PairingLink(parsing: text.lowercased()))
    }
  }

  @Test("is dark on light whatever the terminal's colours are")
  func colours() throws {
    let code = try #require(QRCode("ATREST"))
    let plain = code.picture(isColoured: false).split(separator: "\n")
    let coloured = code.picture(isColoured: true).split(separator: "\n")
    #expect(coloured == plain.map { "\u{1B}[97;40m\($0)\u{1B}[0m" }.map { Substring($0) })
  }

  @Test("of a text that no code can hold there is none")
  func tooLong() {
    #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
    #expect(QRCode("") == nil)
  }

  private static let atrest: [String] = [
    "#######..#.##.#######",
    "#.....#.##.#..#.....#",
    "#.###.#.##..#.#.###.#",
    "#.###.#..#.#..#.###.#",
    "#.###.#.#...#.#.###.#",
    "#.....#.#..##.#.....#",
    "#######.#.#.#.#######",
    "........#####........",
    "##.#..##.##...###.##.",
    ".####.....#...#..##.#",
    "#...#.###.#.##...##..",
    "#..#....####......#.#",
    "##.#.##..#..#.#.####.",
    "........#..#...#####.",
    "#######.#....#.#.....",
    "#.....#...####.##...#",
    "#.###.#..###..###.###",
    "#.###.#.#..#...#...##",
    "#.###.#..#..#...#...#",
    "#.....#.##...####...#",
    "#######.#..##...###..",
  ]
}
