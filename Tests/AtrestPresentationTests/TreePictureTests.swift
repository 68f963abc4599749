// SPDX-License-Identifier: Apache-2.0
// The picture of one tree from the first moment of its fast on, and that of a month.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("The picture of a tree", .timeLimit(.minutes(20)))
struct TreePictureTests {
  private func reading(_ state: TreeState, width: Double = 390, height: Double = 844) -> Reading {
    Reading(TreePicture.svg(character(0, 1), state, width: width, height: height))
  }

  private func trees(_ reading: Reading) -> [[String: String]] {
    reading.all("use").map(\.attributes).filter { $0["href"] == "#tree-0" }
  }

  private func hasStar(_ reading: Reading) -> Bool {
    reading.all("use").contains { $0.attributes["href"] == "#star" }
  }

  @Test(
    "is well-formed in every state and size, however strange",
    arguments: [
      TreeState.materialising(progress: 0.05), .materialising(progress: .nan),
      .materialising(progress: -3), .materialising(progress: 40), .established, .incomplete,
    ])
  func wellFormed(state: TreeState) {
    for side in [Double.nan, -5, 0, 1, 390, 1e300, .infinity] {
      #expect(reading(state, width: side).fault == nil)
      #expect(reading(state, height: side).fault == nil)
    }
    for variant in 0..<TreeCharacter.variants {
      for tone in 0..<TreeCharacter.tones {
        #expect(Reading(TreePicture.svg(character(variant, tone), state)).fault == nil)
      }
    }
  }

  @Test("shows 5 %, 50 % and all of a tree as the timer does: 0.05 + 0.95 of its progress")
  func opacity() {
    #expect(trees(reading(.materialising(progress: 0.05))).first?["opacity"] == "0.098")
    #expect(trees(reading(.materialising(progress: 0.5))).first?["opacity"] == "0.525")
    #expect(trees(reading(.materialising(progress: 1))).map { $0["opacity"] } == [nil])
    #expect(trees(reading(.established)).map { $0["opacity"] } == [nil])
    #expect(trees(reading(.incomplete)).map { $0["opacity"] } == ["0.335"])
  }

  @Test("reveals it from the ground, out of a mist that lifts")
  func revealed() {
    func blur(_ progress: Double) -> Double? {
      reading(.materialising(progress: progress)).all("feGaussianBlur").first?
        .attributes["stdDeviation"].flatMap(Double.init)
    }
    let blurs = [0.05, 0.5, 0.95].compactMap(blur)
    #expect(blurs.count == 3 && blurs == blurs.sorted(by: >))
    #expect(reading(.materialising(progress: 0.5)).all("mask").count == 1)
    for state in [TreeState.established, .incomplete] {
      #expect(reading(state).all("mask").isEmpty && reading(state).all("filter").isEmpty)
    }
  }

  @Test("has a star where the fast reached its target, and only there")
  func star() {
    #expect(hasStar(reading(.established)))
    #expect(!hasStar(reading(.incomplete)))
    #expect(!hasStar(reading(.materialising(progress: 1))))
  }

  @Test("keeps the tree within a wide screen")
  func wideScreen() {
    for tree in trees(reading(.established, width: 1440, height: 900)) {
      let (y, size) = (Double(tree["y"] ?? "") ?? -1, Double(tree["height"] ?? "") ?? -1)
      #expect(y >= 0 && size > 400 && y + size <= 900)
    }
  }

  @Test("is named in the catalogue's words")
  func words() {
    let tree = trees(1)[0]
    let titles = Reading(TreePicture.svg(tree, in: .utc)).all("title").map(\.words)
    let tone = Palette.name(ofTone: tree.character.tone)
    #expect(titles == [Word.forestTreeEstablishedA11y.text(tone, "1 Jan 2026")])
    #expect(
      reading(.materialising(progress: 0.3)).all("title").map(\.words) == [
        Word.forestTreeMaterialisingA11y.text
      ])
  }

  @Test("says what it is told to say, whatever that is")
  func escaped() {
    let words = "A tree & <script>\u{0}alert(\"1\")</script>\n'of' mine"
    let reading = Reading(TreePicture.svg(character(0, 1), .established, title: words))
    #expect(reading.fault == nil)
    #expect(
      reading.all("title").first?.words == "A tree & <script>alert(\"1\")</script> 'of' mine")
  }

  private func trees(_ count: Int) -> [Tree] {
    TreeMapper.trees(for: (0..<count).map { fast($0) })
  }
}

@Suite("The picture of a month", .timeLimit(.minutes(20)))
struct CalendarPictureTests {
  private func grid(_ sessions: [Session]) -> MonthGrid {
    let now = WallTime(seconds: 1_767_268_800 + 20 * 86_400)
    return MonthGrid(
      month: LocalMonth(now, in: .utc),
      entries: CalendarPolicy.entries(of: sessions, for: .premium), now: now, in: .utc,
      firstWeekday: .monday)
  }

  private func reading(_ sessions: [Session], width: Double = 390, height: Double = 844) -> Reading
  {
    Reading(CalendarPicture.svg(grid(sessions), in: .utc, width: width, height: height))
  }

  @Test("is well-formed in every size")
  func wellFormed() {
    for side in [Double.nan, -5, 0, 1, 390, 1440, 1e300] {
      #expect(reading([fast(2)], width: side).fault == nil)
      #expect(reading([], height: side).fault == nil)
    }
  }

  @Test("has each day once, under its weekdays")
  func days() {
    let words = reading([]).all("text").map(\.words)
    #expect(words.compactMap(Int.init) == Array(1...31))
    #expect(words.contains("January 2026"))
    #expect(
      words.filter { $0.count == 3 && Int($0) == nil } == [
        "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
      ])
    #expect(words.contains(Word.calendarEmpty.text))
  }

  @Test("has a dot in its tree's tone for a fast, a grey ring for one that ended early, each named")
  func dots() {
    let (whole, early) = (fast(3), fast(7, hours: 12))
    let circles = reading([whole, early]).all("circle")
    let tone = Palette.earthTone(TreeCharacter(id: whole.id).tone).light.hex
    // One in the month and one in the legend.
    #expect(circles.filter { $0.attributes["fill"] == tone }.count == 2)
    #expect(circles.filter { $0.attributes["stroke"] == Palette.treeGrey.hex }.count == 2)
    let titles = reading([whole, early]).all("title").map(\.words)
    #expect(titles.contains("4 Jan 2026, 16h 15m, \(Word.calendarCompleted.text)"))
    #expect(titles.contains("8 Jan 2026, 12h 0m, \(Word.calendarEndedEarly.text)"))
  }
}
