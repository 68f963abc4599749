// SPDX-License-Identifier: Apache-2.0
// The drawings of a garden for terminals: within their size, and cells that know what they show.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestTestSupport
import Testing
import TrunkDomain
import TrunkPresentation

@Suite("The drawings of a garden", .timeLimit(.minutes(20)))
struct DrawingTests {
  private let nodes = [NodeID.trunk] + (0..<8).map { .branch($0) } + Twig.all.map { .twig($0) }

  private func drawings(_ garden: Garden, width: Int, height: Int) -> [NodeDrawing] {
    [
      GardenDrawing.draw(
        garden, at: noon, in: .utc, width: width, height: height, selected: .twig(Twig.all[20])),
      BranchDrawing.draw(
        garden, branch: 2, at: noon, width: width, height: height, selected: .twig(Twig.all[20])),
      TwigDrawing.draw(
        garden, Twig.all[20], at: noon, in: .utc, width: width, height: height,
        selected: .numbered(20)),
    ]
  }

  /// Whether a terminal gives a character one column, by a rule of the tests' own.
  private func takesOneColumn(_ character: Character) -> Bool {
    let scalars = Array(character.unicodeScalars)
    guard let first = scalars.first else { return false }
    let isMark = "⋅○●◆✧✦×…".contains(character) || (0x2800...0x28FF).contains(first.value)
    let isWord =
      first.value < 0x530 || (0x1E00..<0x2060).contains(first.value)
      || (0x20A0...0x20BF).contains(first.value) || first.value == 0x2212
    let steers: Set<Unicode.GeneralCategory> = [
      .control, .format, .lineSeparator, .paragraphSeparator,
    ]
    return (isMark || isWord) && !steers.contains(first.properties.generalCategory)
      && scalars.dropFirst().allSatisfy { $0.properties.generalCategory == .nonspacingMark }
  }

  /// Whether it gives one two columns.
  private func takesTwoColumns(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    return scalars.count == 1 && scalars.allSatisfy { (0x3041...0x9FFF).contains($0.value) }
  }

  @Test("ideographs are shown, in two cells each")
  func ideographs() {
    let garden = Garden(
      sprouts: [sprout(20, "漢字と仮名", on: Twig.all[20])],
      labels: [NodeLabel(id: .twig(Twig.all[20]), label: "読書")])
    for drawing in drawings(garden, width: 60, height: 20).dropFirst() {
      let row = drawing.drawing.rows.first { $0.contains { $0.character == "漢" } }
      let start = row?.firstIndex { $0.character == "漢" } ?? 0
      #expect(row?[start + 1].isSecondHalf == true && row?[start + 2].character == "字")
      #expect(drawing.lines().contains { $0.contains("漢字と仮名") })
      #expect(drawing.lines().contains { $0.contains("読書") })
    }
    var edge = Drawing(width: 3, height: 1)
    edge.write("漢字", column: 0, row: 0)
    #expect(edge.lines == ["漢"], "half a character is none")
  }

  @Test(
    "never exceed their size, and each cell is one column, or half of two, whatever the words",
    arguments: [
      "Plain words that go on for a while, longer than any line of a narrow terminal is",
      "漢字と仮名", "👨‍👩‍👧‍👦 family", "\u{1B}[2J\u{7}\u{9B}31m", "\u{202E}reversed", "e\u{301}te\u{301}",
      "a\tb\nc\u{2028}d", "", "עברית",
    ])
  func size(words: String) {
    let garden = fullGarden(400, words: words)
    for (width, height) in [(60, 20), (80, 24), (100, 40), (7, 3), (1, 1), (0, 0), (-4, 9)] {
      for drawing in drawings(garden, width: width, height: height) {
        #expect(drawing.drawing.width == max(0, width) && drawing.drawing.height == max(0, height))
        for row in drawing.drawing.rows {
          #expect(row.count == max(0, width))
          for (cell, next) in zip(row, row.dropFirst() + [.blank])
          where
            !(takesOneColumn(cell.character)
            || takesTwoColumns(cell.character) && next.isSecondHalf)
          {
            Issue.record("\(cell.character.unicodeScalars.map { $0.value })")
          }
        }
        #expect(drawing.lines().allSatisfy { ColumnWidth.of($0) <= max(0, width) })
        for line in drawing.lines(isASCII: true) { #expect(line.allSatisfy { $0.isASCII }) }
      }
    }
  }

  @Test(
    "every part has a cell, and the cell is the part's",
    arguments: [(60, 20), (80, 24), (100, 30), (100, 60), (240, 70)])
  func inverse(size: (width: Int, height: Int)) {
    for garden in [Garden(), fullGarden(500)] {
      let drawing = GardenDrawing.draw(
        garden, at: noon, in: .utc, width: size.width, height: size.height)
      var cells: Set<[Int]> = []
      for node in nodes {
        guard let cell = drawing.cell(of: node) else {
          Issue.record("\(node.plainName) has no cell")
          continue
        }
        #expect(drawing.node(column: cell.column, row: cell.row) == node)
        #expect(cells.insert([cell.column, cell.row]).inserted, "\(node.plainName)")
        #expect(drawing.drawing[cell.column, cell.row].character != " ")
      }
    }
  }

  @Test("what is on a twig stands in the twig's cell")
  func twigs() {
    let states: [(Sprout, Character)] = [
      (sprout(1, on: Twig.all[3], planted: nil), "○"),
      (sprout(2, on: Twig.all[11], planted: 10), "●"),
      (sprout(3, on: Twig.all[19], planted: 40), "◆"),
      (sprout(4, on: Twig.all[27], planted: 40, ended: 5, .partial), "✧"),
      (sprout(5, on: Twig.all[35], planted: 40, ended: 5, .exceptional), "✦"),
      (sprout(6, on: Twig.all[43], planted: 40, ended: 5), "×"),
    ]
    let drawing = GardenDrawing.draw(
      Garden(sprouts: states.map { $0.0 }), at: noon, in: .utc, width: 80, height: 24)
    let marks = Dictionary(uniqueKeysWithValues: states.map { ($0.0.twig, $0.1) })
    for twig in Twig.all {
      guard let cell = drawing.cell(of: .twig(twig)) else { continue }
      #expect(drawing.drawing[cell.column, cell.row].character == marks[twig] ?? "⋅")
    }
    let ascii = drawing.ascii
    let letters = states.compactMap { state in
      drawing.cell(of: .twig(state.0.twig)).map { ascii[$0.column, $0.row].character }
    }
    #expect(Set(letters).count == states.count, "told apart in ASCII, too")
    #expect(letters.allSatisfy { !" .:-+*%#@".contains($0) }, "and from dots")
  }

  @Test("the selected part stands in brackets and is named below")
  func selected() {
    let garden = Garden(
      sprouts: [sprout(1)], labels: [NodeLabel(id: .twig(Twig.all[20]), label: "Legs")])
    for node in nodes {
      let drawing = GardenDrawing.draw(
        garden, at: noon, in: .utc, width: 80, height: 24, selected: node)
      guard let cell = drawing.cell(of: node) else {
        Issue.record("\(node.plainName) has no cell")
        continue
      }
      #expect(drawing.drawing[cell.column - 1, cell.row].character == "[", "\(node.plainName)")
      #expect(drawing.drawing[cell.column + 1, cell.row].character == "]", "\(node.plainName)")
      let last = drawing.lines().last ?? ""
      #expect(
        last.hasPrefix(node == .twig(Twig.all[20]) ? "3.5 Legs: 1 growing" : node.plainName))
    }
    let unselected = GardenDrawing.draw(garden, at: noon, in: .utc, width: 80, height: 24)
    #expect(!unselected.lines().joined().contains("["))
  }

  @Test("the nearest part in a direction is in that direction; there is none beyond the edge")
  func neighbours() {
    let drawing = GardenDrawing.draw(
      fullGarden(500), at: noon, in: .utc, width: 80, height: 24, selected: nil)
    for node in nodes {
      guard let cell = drawing.cell(of: node) else { continue }
      for (across, down) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
        guard let next = drawing.neighbour(of: node, across: across, down: down),
          let other = drawing.cell(of: next)
        else { continue }
        #expect((other.column - cell.column) * across + (other.row - cell.row) * down > 0)
      }
    }
    #expect(drawing.neighbour(of: .trunk, across: 0, down: 1) == nil)
    #expect(drawing.neighbour(of: .trunk, across: 0, down: -1) != nil)
    let branch = BranchDrawing.draw(fullGarden(500), branch: 2, at: noon, width: 60, height: 40)
    #expect(
      branch.neighbour(of: .twig(Twig.all[16]), across: 0, down: -1) == .twig(Twig.all[17]))
    #expect(branch.neighbour(of: .trunk, across: 0, down: -1) == nil, "it is not drawn")
  }

  @Test("a branch has a row for each of its twigs, and titles where there is room")
  func branch() {
    let garden = Garden(sprouts: [sprout(1, "Run far"), sprout(2, on: Twig.all[30])])
    for height in [11, 24, 40] {
      let drawing = BranchDrawing.draw(garden, branch: 2, at: noon, width: 60, height: height)
      for place in 0..<8 {
        let node = NodeID.twig(Twig.all[16 + place])
        let cell = drawing.cell(of: node)
        #expect(cell.map { drawing.node(column: $0.column, row: $0.row) } == node)
        #expect(cell.map { drawing.lines()[$0.row].contains("3.\(place + 1)") } == true)
      }
      #expect(drawing.lines().contains { $0.contains("Run far") } == (height > 11))
    }
  }

  @Test("a twig has its sprouts with the last words, and says how many more there are")
  func twig() {
    let garden = Garden(
      sprouts: (0..<9).map { sprout(UInt64($0), "Goal \($0)") },
      waterings: [
        Watering(
          id: .numbered(90), sprout: .numbered(0), at: ago(1),
          day: GardenDay(ago(1), in: .utc), note: "Down by the river")
      ])
    func lines(_ height: Int) -> [String] {
      TwigDrawing.draw(garden, Twig.all[20], at: noon, in: .utc, width: 60, height: height).lines()
    }
    #expect(lines(60).contains("    Down by the river"))
    #expect((0..<9).allSatisfy { number in lines(60).contains { $0.hasSuffix("Goal \(number)") } })
    #expect(lines(60).contains("    1 month, firm; growing, 33 %, until 9 Jun 2026"))
    #expect(lines(12).last == "    and 7 more")
  }

  @Test("each sprout of a twig can be pointed at, and comes into sight when the cursor is on it")
  func sprouts() {
    let garden = Garden(sprouts: (0..<9).map { sprout(UInt64($0), "Goal \($0)") })
    for number in 0..<9 {
      let drawing = TwigDrawing.draw(
        garden, Twig.all[20], at: noon, in: .utc, width: 60, height: 12,
        selected: .numbered(UInt64(number)))
      let marked = drawing.lines().firstIndex { $0.hasPrefix("> ") }
      #expect(marked.flatMap { drawing.sprout(row: $0) } == .numbered(UInt64(number)))
      #expect(marked.map { drawing.lines()[$0].hasSuffix("Goal \(number)") } == true)
      #expect(drawing.sprout(row: 0) == nil && drawing.sprout(row: 11) == nil)
    }
  }

  @Test("colours show on light and on dark: a contrast of at least 3 with both")
  func contrast() {
    func light(_ colour: RGB) -> Double {
      // Source: WCAG 2, relative luminance; the gamma curve as a square, near enough.
      0.2126 * colour.red * colour.red + 0.7152 * colour.green * colour.green
        + 0.0722 * colour.blue * colour.blue
    }
    var colours: Set<RGB> = []
    for drawing in drawings(fullGarden(800), width: 100, height: 40) {
      for cell in drawing.drawing.rows.joined() {
        if let colour = cell.foreground { colours.insert(colour) }
      }
    }
    #expect(colours.count > 6)
    for colour in colours {
      #expect(1.05 / (light(colour) + 0.05) >= 3, "\(colour.hex) on white")
      #expect((light(colour) + 0.05) / 0.05 >= 3, "\(colour.hex) on black")
    }
  }
}
