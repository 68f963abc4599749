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
    #expect(FNV1a.hash(svg(12).utf8) == 5_612_208_676_125_896_536)
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

  @Test("ends below its last tree, and a screen is as high as a screen")
  func sizes() {
    let whole = Reading(svg(200)).elements.first?.attributes
    let height = whole?["height"].flatMap(Double.init) ?? 0
    #expect(whole?["viewBox"] == "0 0 390 \(whole?["height"] ?? "")")
    let screen = Reading(svg(200, phone, .screen(scrolled: 1e9))).elements.first?.attributes
    let top = screen?["viewBox"]?.split(separator: " ").compactMap { Double($0) }[1] ?? 0
    #expect(abs(top - (height - 844)) < 0.02)
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
    // 0.05 + 0.95 x 0.30, times 0.40 far away to 1 near.
    let opacity = grey.first?.attributes["opacity"].flatMap(Double.init) ?? 1
    #expect(grey.count == 1 && (0.134...0.335).contains(opacity))
  }

  @Test("paints the dusk behind what is far, so that no tree shines through another")
  func opaque() {
    let uses = Reading(svg(12)).all("use").filter {
      $0.attributes["href"]?.hasPrefix("#tree-") ?? false
    }
    for (index, use) in uses.enumerated() where use.attributes["opacity"] != nil {
      let behind = index > 0 ? uses[index - 1].attributes : [:]
      for key in ["href", "x", "y", "width", "transform"] {
        #expect(behind[key] == use.attributes[key])
      }
      #expect(behind["opacity"] == nil)
    }
  }

  /// A tree as it is drawn.
  private struct Drawn {
    let attributes: [String: String]
    var x: Double { side("x") + size / 2 }
    var top: Double { side("y") }
    var size: Double { side("width") }
    var foot: Double { top + size * 0.97 }
    var opacity: Double { attributes["opacity"].flatMap(Double.init) ?? 1 }

    private func side(_ name: String) -> Double { attributes[name].flatMap(Double.init) ?? .nan }
  }

  private func drawn(_ reading: Reading, _ href: String) -> [Drawn] {
    reading.all("use").map(\.attributes).filter { $0["href"]?.hasPrefix(href) ?? false }
      .map(Drawn.init)
  }

  /// Every tree once, without the dusk that is painted behind it.
  private func drawnTrees(_ reading: Reading) -> [Drawn] {
    drawn(reading, "#tree-").filter {
      $0.attributes["fill"]?.hasPrefix("url(") ?? false
        || $0.attributes["fill"] == Palette.treeGrey.hex
    }
  }

  @Test(
    "draws what is far before what is near, smaller and fainter the farther it is",
    arguments: [ForestPicture.Part.whole, .wallpaper])
  func order(part: ForestPicture.Part) {
    let all = drawnTrees(Reading(svg(200, wide, part)))
    #expect(all.count == 200)
    for (far, near) in zip(all, all.dropFirst()) { #expect(far.foot <= near.foot + 0.1) }
    // Sizes differ by 12 % where the distance is the same, so that groups are compared.
    let groups = stride(from: 0, to: 200, by: 50).map { all[$0..<$0 + 50] }
    for (far, near) in zip(groups, groups.dropFirst()) {
      func mean(_ group: some Collection<Drawn>, _ part: (Drawn) -> Double) -> Double {
        group.reduce(0) { $0 + part($1) } / Double(group.count)
      }
      #expect(mean(far, \.size) < mean(near, \.size))
      let (a, b) = (far.filter { isTone($0) }, near.filter { isTone($0) })
      #expect(mean(a, \.opacity) < mean(b, \.opacity))
    }
  }

  private func isTone(_ tree: Drawn) -> Bool {
    tree.attributes["fill"] != Palette.treeGrey.hex
  }

  @Test(
    "has stars in the open sky only, within its edges",
    arguments: [1, 12, 60, 200], [ForestPicture.Part.whole, .wallpaper, .screen(scrolled: 300)])
  func openSky(count: Int, part: ForestPicture.Part) {
    for canvas in [phone, wide] {
      let reading = Reading(svg(count, canvas, part))
      let stars = drawn(reading, "#star")
      let trees = drawnTrees(Reading(svg(count, canvas, part == .wallpaper ? part : .whole)))
      let first = trees.map(\.foot).min() ?? 0
      for star in stars {
        let y = star.top + star.size / 2
        #expect(y < first, "above the first foot")
        #expect(star.x > star.size / 4 && star.x < canvas.width - star.size / 4)
        let isOverACrown = trees.contains {
          abs($0.x - star.x) < $0.size / 2 && y > $0.top
        }
        #expect(!isOverACrown)
      }
      if part != .screen(scrolled: 300) { #expect(!stars.isEmpty) }
    }
  }

  @Test("as a wallpaper has the size that was asked for, and all trees on it")
  func wallpaper() {
    for canvas in [phone, wide, ForestCanvas(width: 3840, screenHeight: 2160)] {
      let reading = Reading(svg(200, canvas, .wallpaper))
      let attributes = reading.elements.first?.attributes
      #expect(attributes?["width"].flatMap(Double.init) == canvas.width)
      #expect(attributes?["height"].flatMap(Double.init) == canvas.screenHeight)
      let all = drawnTrees(reading)
      #expect(all.count == 200)
      for tree in all {
        #expect(tree.x - tree.size / 2 >= -0.1 && tree.x + tree.size / 2 <= canvas.width + 0.1)
        #expect(tree.top >= 0 && tree.foot <= canvas.screenHeight)
      }
    }
  }

  @Test("has larger trees on a wider screen, and does not end in emptiness")
  func widths() {
    func mean(_ canvas: ForestCanvas) -> Double {
      let all = drawnTrees(Reading(svg(12, canvas)))
      return all.reduce(0) { $0 + $1.size } / Double(all.count)
    }
    #expect(mean(wide) > mean(phone) * 1.7)
    for canvas in [phone, wide] {
      let reading = Reading(svg(200, canvas))
      let height = reading.elements.first?.attributes["height"].flatMap(Double.init) ?? 0
      let last = drawnTrees(reading).map(\.foot).max() ?? 0
      #expect(height - last < canvas.screenHeight * 0.15)
    }
  }

  @Test("has no two copies of a form: some are mirrored, and sizes vary")
  func variety() {
    let all = drawnTrees(Reading(svg(200)))
    let mirrored = all.count { $0.attributes["transform"] != nil }
    #expect((60...140).contains(mirrored))
    #expect(Set(all.map { Int($0.size * 10) }).count > 100)
  }

  @Test("shows bark and moss far away at a contrast of 2 : 1 at least")
  func contrast() throws {
    let reading = Reading(svg(200, wide, .wallpaper))
    let uses = drawn(reading, "#tree-")
    for (index, use) in uses.enumerated() where use.attributes["opacity"] != nil && isTone(use) {
      let behind = try #require(uses[index - 1].attributes["fill"])
      let tone = try #require(use.attributes["fill"]?.dropLast().last?.wholeNumberValue)
      let dusk = RGB(hex: try #require(UInt32(behind.dropFirst(), radix: 16)))
      let shown = RGB.interpolate(
        from: dusk, to: Palette.earthTone(tone).light, t: use.opacity)
      #expect(Contrast.ratio(shown, dusk) >= 1.98, "tone \(tone)")
    }
  }

  @Test("has hills whose light varies, without stripes of one brightness")
  func hills() {
    let lights = Reading(svg(200)).all("path").compactMap { path in
      path.attributes["fill"]?.hasPrefix("url(#ridge") ?? false ? path.attributes["opacity"] : nil
    }
    #expect(lights.count > 10 && Set(lights).count > lights.count * 3 / 4)
  }
}
