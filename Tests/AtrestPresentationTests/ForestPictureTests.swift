// SPDX-License-Identifier: Apache-2.0
// The picture of a forest: what it contains and what it never contains.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("The picture of a forest", .timeLimit(.minutes(20)))
struct ForestPictureTests {
  private func svg(
    _ count: Int, _ canvas: ForestCanvas = phone, _ part: ForestPicture.Part = .whole
  ) -> String {
    ForestPicture.svg(
      ForestLayout(trees: trees(count), canvas: canvas), in: .utc, part: part)
  }

  private func titles(_ reading: Reading) -> [String] {
    reading.all("title").map(\.words).filter { $0 != Word.navForest.text }
  }

  @Test(
    "is well-formed, without scripts, and refers to nothing outside", arguments: [0, 1, 12, 200])
  func wellFormed(count: Int) {
    for canvas in [phone, wide] {
      #expect(Reading(svg(count, canvas)).fault == nil)
      let layout = ForestLayout(trees: trees(count), canvas: canvas)
      #expect(Reading(svg(count, canvas, ForestPicture.opened(layout))).fault == nil)
    }
  }

  @Test("is well-formed for any fasts on any canvas")
  func wellFormedAlways() {
    checkLaw(cases: 20) { random in
      let all = (0..<Int.random(in: 0...30, using: &random)).map { number in
        fast(id: random.id(), number, hours: Double.random(in: 11...30, using: &random))
      }
      let canvas = ForestCanvas(
        width: Double.random(in: -10...3000, using: &random),
        screenHeight: Double.random(in: -10...3000, using: &random))
      let layout = ForestLayout(trees: TreeMapper.trees(for: all), canvas: canvas)
      let scrolled = Double.random(in: -1e5...1e5, using: &random)
      return Reading(ForestPicture.svg(layout, in: .utc)).fault == nil
        && Reading(ForestPicture.svg(layout, in: .utc, part: .screen(scrolled: scrolled))).fault
          == nil
    }
  }

  @Test("has the same bytes in every process and on every device")
  func golden() {
    #expect(svg(12) == svg(12))
    #expect(FNV1a.hash(svg(12).utf8) == 14_928_867_966_045_856_176)
  }

  @Test("of 200 trees is small, and more trees are not drawn")
  func bounds() {
    #expect(svg(200, wide).utf8.count <= 300 * 1024)
    #expect(titles(Reading(svg(200))).count == 200)
    #expect(titles(Reading(svg(230))).count == 200)
  }

  @Test("of no fast says where a forest grows, under a few stars")
  func empty() {
    let reading = Reading(svg(0))
    #expect(reading.all("text").map(\.words) == [Word.forestEmpty.text])
    #expect(reading.all("symbol").compactMap { $0.attributes["id"] } == ["star"])
    #expect(titles(reading).isEmpty)
  }

  @Test("of one fast is one tree, one star, and no words")
  func one() {
    let reading = Reading(svg(1))
    let uses = reading.all("use").compactMap { $0.attributes["href"] }
    #expect(uses.filter { $0 == "#star" }.count == 1)
    #expect(uses.filter { $0.hasPrefix("#tree-") }.count == 1)
    #expect(reading.all("text").isEmpty)
  }

  @Test("is as high as its canvas, and a screen as high as a screen")
  func sizes() {
    let whole = Reading(svg(200)).elements.first?.attributes
    #expect(whole?["viewBox"] == "0 0 390 7422")
    let screen = Reading(svg(200, phone, .screen(scrolled: 1e9))).elements.first?.attributes
    #expect(screen?["viewBox"] == "0 6578 390 844")
    for scrolled in [-Double.infinity, .nan, 0] {
      let top = Reading(svg(200, phone, .screen(scrolled: scrolled))).elements.first?.attributes
      #expect(top?["viewBox"] == "0 0 390 844")
    }
  }

  @Test("opens where the newest tree stands")
  func opened() {
    let layout = ForestLayout(trees: trees(40), canvas: phone)
    let reading = Reading(ForestPicture.svg(layout, in: .utc, part: ForestPicture.opened(layout)))
    // The 40th fast ended early.
    #expect(titles(reading).contains(Word.forestTreeIncompleteA11y.text("9 Feb 2026")))
  }

  @Test("tells of each tree in the catalogue's words: its tone and its day, at a place")
  func words() {
    let layout = ForestLayout(trees: trees(5), canvas: phone)
    let reading = Reading(ForestPicture.svg(layout, in: .utc))
    let expected = layout.trees.map { tree -> String in
      let end = tree.tree.session.span.end ?? .epoch
      let day = TimeText.day(LocalDay(end, in: .utc))
      return tree.tree.state == .incomplete
        ? Word.forestTreeIncompleteA11y.text(day)
        : Word.forestTreeEstablishedA11y.text(Palette.name(ofTone: tree.tone), day)
    }
    #expect(titles(reading).sorted() == expected.sorted())
    #expect(reading.all("desc").first?.words == Word.forestEmpty.text)
    #expect(titles(reading).allSatisfy(WordPolicy.allows))
    // Inside an image, screen readers would not look for the trees' names.
    #expect(reading.elements.first?.attributes["role"] == "group")
  }

  @Test("leaves a fast that ended early grey, faint, and without a star")
  func incomplete() {
    let early = TreeMapper.trees(for: [fast(1), fast(2), fast(3, hours: 12)])
    let reading = Reading(
      ForestPicture.svg(ForestLayout(trees: early, canvas: phone), in: .utc))
    let stars = reading.all("use").filter { $0.attributes["href"] == "#star" }
    #expect(stars.count == 2)
    let grey = reading.all("use").filter { $0.attributes["fill"] == Palette.treeGrey.hex }
    // 0.05 + 0.95 x 0.30, in the background's 0.40.
    #expect(grey.map { $0.attributes["opacity"] } == ["0.134"])
  }

  @Test("paints the dusk behind what is far, so that no tree shines through another")
  func opaque() {
    let uses = Reading(svg(12)).all("use").filter {
      $0.attributes["href"]?.hasPrefix("#tree-") ?? false
    }
    for (index, use) in uses.enumerated() where use.attributes["opacity"] != nil {
      let behind = index > 0 ? uses[index - 1].attributes : [:]
      for key in ["href", "x", "y", "width"] { #expect(behind[key] == use.attributes[key]) }
      #expect(behind["opacity"] == nil)
    }
  }

  @Test("draws what is far before what is near")
  func order() {
    let sizes = Reading(svg(30)).all("use")
      .filter { $0.attributes["href"]?.hasPrefix("#tree-") ?? false }
      .compactMap { $0.attributes["width"].flatMap(Double.init) }
    #expect(sizes == sizes.sorted())
    #expect(Set(sizes) == [48, 62, 80])
  }
}
