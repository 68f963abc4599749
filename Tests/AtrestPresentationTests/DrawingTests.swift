// SPDX-License-Identifier: Apache-2.0
// Terminal drawings at any size, with and without colours.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Drawings for terminals", .timeLimit(.minutes(20)))
struct DrawingTests {
  /// What is wrong with a drawing. Nil if nothing is.
  private func fault(_ drawing: Drawing, width: Int, height: Int) -> String? {
    let limit = Drawing.limit
    let (width, height) = (min(max(width, 0), limit), min(max(height, 0), limit))
    if drawing.width != width || drawing.height != height { return "size" }
    for row in drawing.rows {
      if row.count != width { return "a row of \(row.count)" }
      for cell in row where !isOneColumn(cell.character) { return "\(cell.character)" }
    }
    if drawing.ascii.lines.contains(where: { !$0.allSatisfy { $0.isASCII && $0 != "?" } }) {
      return "not ASCII"
    }
    return nil
  }

  private func isOneColumn(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else {
      return false
    }
    return (0x20..<0x7f).contains(scalar.value) || (0x2800...0x28ff).contains(scalar.value)
      || ["✦", "✧", "⋅", "●", "○"].contains(character)
  }

  private func dots(_ drawing: Drawing) -> Set<Int> {
    var result: Set<Int> = []
    for (row, cells) in drawing.rows.enumerated() {
      for (column, cell) in cells.enumerated() {
        guard let value = cell.character.unicodeScalars.first?.value,
          (0x2800...0x28ff).contains(value)
        else { continue }
        for bit in 0..<8 where (value - 0x2800) >> UInt32(bit) & 1 == 1 {
          result.insert((row * 1000 + column) * 8 + bit)
        }
      }
    }
    return result
  }

  @Test("fit every size, from nothing on", arguments: [-1, 0, 1, 2, 3, 7, 12, 40])
  func sizes(side: Int) {
    for (width, height) in [(side, side), (side, 12), (40, side)] {
      #expect(
        fault(
          TreeDrawing.draw(character(1, 1), .established, width: width, height: height),
          width: width, height: height) == nil)
      for count in [0, 1, 30] {
        #expect(
          fault(
            ForestDrawing.draw(trees(count), width: width, height: height), width: width,
            height: height) == nil)
      }
      #expect(
        fault(
          CalendarDrawing.draw(month, width: width, height: height), width: width, height: height)
          == nil)
    }
  }

  @Test("are bounded where a terminal says that it is endless")
  func endless() {
    let drawing = TreeDrawing.draw(character(1, 1), .established, width: Int.max, height: 2)
    #expect(fault(drawing, width: Int.max, height: 2) == nil)
    let none = ForestDrawing.draw(trees(3), width: 5, height: Int.min)
    #expect(fault(none, width: 5, height: 0) == nil)
  }

  @Test("fit for any fasts")
  func anything() {
    checkLaw(cases: 20) { random in
      let all = (0..<Int.random(in: 0...40, using: &random)).map { number in
        fast(id: random.id(), number, hours: Double.random(in: 11...30, using: &random))
      }
      let width = Int.random(in: 0...90, using: &random)
      let height = Int.random(in: 0...40, using: &random)
      let drawing = ForestDrawing.draw(TreeMapper.trees(for: all), width: width, height: height)
      return fault(drawing, width: width, height: height) == nil
    }
  }

  @Test("a tree that comes into being only ever gains dots", arguments: 0..<8)
  func growing(variant: Int) {
    var before: Set<Int> = []
    for step in 0...20 {
      let progress = Double(step) / 20
      let now = dots(
        TreeDrawing.draw(
          character(variant, 2), .materialising(progress: progress), width: 40, height: 12))
      #expect(before.isSubset(of: now))
      before = now
    }
    let whole = dots(
      TreeDrawing.draw(character(variant, 2), .established, width: 40, height: 12))
    #expect(before.count >= whole.count - 8)
  }

  @Test("a tree comes into being from the ground up")
  func fromTheGround() {
    func share(_ rows: Range<Int>) -> Double {
      func count(_ state: TreeState) -> Double {
        let drawing = TreeDrawing.draw(character(0, 0), state, width: 44, height: 20)
        return Double(dots(drawing).filter { rows.contains($0 / 8000) }.count)
      }
      return count(.materialising(progress: 0.4)) / max(1, count(.established))
    }
    #expect(share(14..<18) > 0.9)
    #expect(share(2..<6) < 0.6)
  }

  @Test("a strange progress is none, or all")
  func strangeProgress() {
    for progress in [Double.nan, -1] {
      #expect(
        TreeDrawing.draw(character(0, 0), .materialising(progress: progress), width: 30, height: 10)
          == TreeDrawing.draw(character(0, 0), .materialising(progress: 0), width: 30, height: 10))
    }
  }

  @Test("a star stands over a tree that is established, and comes by degrees at an arrival")
  func star() {
    func stars(_ state: TreeState, _ part: Double?) -> String {
      let drawing = TreeDrawing.draw(character(4, 1), state, star: part, width: 40, height: 14)
      return String(drawing.rows.joined().map(\.character).filter { "✦✧⋅".contains($0) })
    }
    #expect(stars(.established, nil) == "✦")
    #expect(stars(.incomplete, nil) == "")
    #expect(stars(.materialising(progress: 1), nil) == "")
    #expect(
      [0, 0.2, 0.5, 1].map { stars(.materialising(progress: 1), $0) } == ["", "⋅", "✧", "✦"])
  }

  @Test("a tree that ended early is grey, and less dense, so it is told apart without colours")
  func incomplete() {
    let early = TreeDrawing.draw(character(0, 4), .incomplete, width: 40, height: 16)
    let whole = TreeDrawing.draw(character(0, 4), .established, width: 40, height: 16)
    #expect(dots(early).count * 2 < dots(whole).count)
    for cell in early.rows.dropLast().joined() {
      if let colour = cell.foreground { #expect(abs(colour.red - colour.green) < 0.06) }
    }
  }

  @Test("a forest has a star for each established tree that none hides")
  func forest() {
    let all = Array(trees(12).prefix(9))
    let drawing = ForestDrawing.draw(all, width: 80, height: 24)
    let stars = drawing.rows.joined().filter { "✦✧⋅".contains($0.character) }
    let established = all.filter { $0.state == .established }.count
    #expect(stars.count <= established && stars.count >= established - 3)
    #expect(ForestDrawing.draw(all, width: 80, height: 24) == drawing)
  }

  @Test("far trees are less dense than near ones")
  func distance() {
    /// Three trees of one form and tone: near, middle and far.
    var random = SeededRandom(seed: 7)
    var same: [Session] = []
    while same.count < 3 {
      let id = random.id()
      if TreeCharacter(id: id) == character(5, 4) { same.append(fast(id: id, same.count)) }
    }
    let drawing = ForestDrawing.draw(TreeMapper.trees(for: same), width: 100, height: 40)
    func full(_ rows: Range<Int>) -> Int {
      drawing.rows[rows].joined().filter { $0.character == "\u{28ff}" }.count
    }
    #expect(full(0..<14) == 0)
    #expect(full(20..<40) > 10)
  }

  @Test("an empty forest says so where there is room")
  func empty() {
    let lines = ForestDrawing.draw([], width: 60, height: 16).lines
    #expect(lines.contains { $0.trimmingCharacters(in: .whitespaces) == Word.forestEmpty.text })
    #expect(ForestDrawing.draw([], width: 10, height: 3).lines.allSatisfy { !$0.contains("Y") })
  }

  @Test("a forest asks for more rows the more trees there are")
  func height() {
    let heights = [0, 12, 60, 200, 900].map { ForestDrawing.height(trees: $0, width: 80) }
    #expect(heights == heights.sorted() && heights[0] == 16 && heights[3] == heights[4])
    #expect(ForestDrawing.height(trees: -5, width: Int.min) == 16)
  }

  private var month: MonthGrid {
    let now = WallTime(seconds: 1_767_268_800 + 14 * 86_400)
    let sessions = [fast(1), fast(5, hours: 12), fast(9)]
    return MonthGrid(
      month: LocalMonth(now, in: .utc),
      entries: CalendarPolicy.entries(of: sessions, for: .premium), now: now, in: .utc,
      firstWeekday: .monday)
  }

  @Test("a month reads as a calendar, in colours and without")
  func calendar() {
    let lines = CalendarDrawing.draw(month, width: 28, height: 10).lines
    #expect(
      lines == [
        "        January 2026",
        "",
        " Mo  Tu  We  Th  Fr  Sa  Su",
        "              1   2●  3   4",
        "  5   6○  7   8   9  10● 11",
        " 12  13  14  15  16  17  18",
        " 19  20  21  22  23  24  25",
        " 26  27  28  29  30  31",
        "",
        "● Completed   ○ Ended early",
      ])
    let least = CalendarDrawing.leastWidth
    func narrow(_ width: Int) -> [String] {
      CalendarDrawing.draw(month, width: width, height: CalendarDrawing.height).lines
    }
    #expect(narrow(least).contains(" 5  6  7  8  9 10 11"))
    #expect(!narrow(least - 1).contains { $0.hasSuffix("11") })
    let drawing = CalendarDrawing.draw(month, width: 60, height: 20)
    let today = drawing.rows.joined().filter(\.isBold).map(\.character)
    #expect(String(today) == "January 202615")
    let tone = Palette.earthTone(TreeCharacter(id: fast(1).id).tone).light
    let marks = drawing.rows.joined().filter { $0.character == "●" }.map(\.foreground)
    #expect(marks.first == tone)
  }
}
