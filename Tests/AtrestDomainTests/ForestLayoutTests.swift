// SPDX-License-Identifier: Apache-2.0
// Positions of trees and stars: figures, bands, limits, and stability.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("The forest's layout", .timeLimit(.minutes(20)))
struct ForestLayoutTests {
  private let phone = ForestCanvas(width: 390, screenHeight: 844)

  @Test(
    "the canvas is 1.5 screens high, or 35 points a tree and half a screen",
    arguments: [
      (0, 1266), (1, 1266), (10, 1266), (24, 1266), (25, 1297), (100, 3922), (200, 7422),
      (201, 7422), (100_000, 7422), (-1, 1266),
    ] as [(Int, Double)])
  func height(trees: Int, expected: Double) {
    #expect(phone.height(trees: trees) == expected)
  }

  @Test("layers take turns: near, between, far; each with its size, opacity and band")
  func layers() {
    #expect((0..<6).map { ForestDepth(index: $0).rawValue } == [0, 1, 2, 0, 1, 2])
    #expect(ForestDepth.allCases.map(\.treeSize) == [80, 62, 48])
    #expect(ForestDepth.allCases.map(\.opacity) == [1, 0.65, 0.40])
    #expect(ForestDepth.allCases.map(\.band) == [0.55...0.90, 0.35...0.65, 0.15...0.45])
    #expect(ForestCanvas.starZone == 0...0.40)
  }

  @Test("every tree stands in its band, half its size from the edges", arguments: [2, 12, 200])
  func bands(count: Int) {
    let layout = ForestLayout(trees: forest(count), canvas: phone)
    #expect(layout.trees.count == count && layout.stars.count == count)
    for tree in layout.trees {
      #expect(tree.depth.band.contains(tree.y / layout.height + 1e-12))
      #expect((tree.size / 2...390 - tree.size / 2).contains(tree.x))
      #expect(tree.opacity == tree.appearance.opacity * tree.depth.opacity)
    }
    for star in layout.stars {
      #expect((0...0.40).contains(star.y / layout.height) && (0...390).contains(star.x))
    }
  }

  @Test("far trees are drawn first, and in a layer the higher ones")
  func drawingOrder() {
    let trees = ForestLayout(trees: forest(40), canvas: phone).trees
    for (a, b) in zip(trees, trees.dropFirst()) {
      #expect(a.depth.rawValue > b.depth.rawValue || (a.depth == b.depth && a.y <= b.y))
    }
  }

  @Test(
    "at most the 200 most recent trees are drawn, and they stand where they stood",
    arguments: [201, 431, 600, 601])
  func limit(count: Int) throws {
    let all = forest(count)
    let layout = ForestLayout(trees: all, canvas: phone)
    #expect(Set(layout.trees.map(\.id)) == Set(all.suffix(200).map(\.id)))
    #expect(layout.newest == all.last?.id)
    let before = ForestLayout(trees: all.dropLast(), canvas: phone)
    let moved = places(before).filter { id, place in
      places(layout)[id].map { $0 != place } ?? false
    }
    #expect(moved.isEmpty)
  }

  @Test("a new tree moves no other: all keep their part of the canvas, their layer and their star")
  func stable() throws {
    let all = forest(60)
    for count in [2, 3, 10, 30, 59] {
      let some = ForestLayout(trees: Array(all.prefix(count)), canvas: phone)
      let more = ForestLayout(trees: Array(all.prefix(count + 1)), canvas: phone)
      for (id, place) in places(some) {
        let other = try #require(places(more)[id])
        #expect(abs(place[0] - other[0]) < 1e-9 && abs(place[1] - other[1]) < 1e-12)
        #expect(place[2] == other[2])
      }
      let stars = Dictionary(uniqueKeysWithValues: more.stars.map { ($0.id, $0) })
      for star in some.stars {
        let other = try #require(stars[star.id])
        #expect(abs(star.y / some.height - other.y / more.height) < 1e-12 && star.x == other.x)
      }
    }
  }

  @Test("is the same on every device: the golden place of a tree")
  func golden() throws {
    let layout = ForestLayout(trees: forest(12), canvas: phone)
    let again = ForestLayout(trees: forest(12), canvas: phone)
    #expect(layout == again)
    let text = layout.trees.prefix(3).map {
      "\($0.depth.rawValue) \(Int($0.x.rounded())) \(Int($0.y.rounded())) \($0.appearance.variant) \($0.tone)"
    }
    #expect(text == Self.goldenPlaces)
  }

  private static let goldenPlaces = ["2 229 231 3 3", "2 37 257 0 3", "2 341 337 1 2"]

  @Test("trees of a layer keep apart while there is room")
  func apart() {
    for count in [12, 24, 60] {
      let trees = ForestLayout(trees: forest(count), canvas: phone).trees
      for (index, a) in trees.enumerated() {
        for b in trees[(index + 1)...] where a.depth == b.depth {
          let distance = ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
          #expect(distance > a.size * 0.5, "\(count): \(distance)")
        }
      }
    }
  }

  @Test("an empty forest has a few stars that stand for nothing, and its words")
  func empty() {
    let layout = ForestLayout(trees: [], canvas: phone)
    #expect(layout.isEmpty && layout.trees.isEmpty && layout.newest == nil)
    #expect(layout.height == 1266)
    #expect((3...9).contains(layout.stars.count) && layout.stars.allSatisfy { $0.id == nil })
    #expect(Word.forestEmpty.text == "Your forest grows here.")
  }

  @Test("one tree stands in front, in the middle of the ground, under one star")
  func alone() throws {
    let layout = ForestLayout(trees: forest(1), canvas: phone)
    let tree = try #require(layout.trees.first)
    #expect(layout.trees.count == 1 && layout.stars.count == 1)
    #expect(tree.depth == .foreground && tree.x == 195)
    #expect(abs(tree.y - layout.height * 0.90) < 1e-9)
    let star = try #require(layout.stars.first)
    #expect(star.x == 195 && star.y < tree.y && star.id == tree.id)
  }

  @Test("an incomplete tree is grey, at 30 %, and has no star")
  func incomplete() throws {
    let trees = TreeMapper.trees(for: [
      ended(1, hours: 16, ago: 60), ended(2, hours: 12, ago: 30), ended(3, hours: 13, ago: 1),
    ])
    let layout = ForestLayout(trees: trees, canvas: phone)
    #expect(layout.stars.map(\.id) == [numbered(1)])
    let grey = layout.trees.filter { !$0.hasStar }
    #expect(grey.count == 2)
    for tree in grey {
      #expect(tree.appearance.fill == Palette.treeGrey)
      #expect(abs(tree.appearance.opacity - (0.05 + 0.30 * 0.95)) < 1e-12)
    }
    let onlyGrey = ForestLayout(trees: Array(trees.dropFirst()), canvas: phone)
    #expect(onlyGrey.stars.isEmpty)
  }

  @Test("stars move at 30 % of the trees' speed")
  func parallax() {
    // A star at y appears at y - scrolled + offset, a tree at y - scrolled.
    #expect(abs(ForestCanvas.starOffset(scrolled: 100) - 70) < 1e-9)
    #expect(ForestCanvas.starOffset(scrolled: 0) == 0)
    #expect(abs(ForestCanvas.starOffset(scrolled: -10) + 7) < 1e-9)
  }

  @Test(
    "screens that do not exist trap nothing",
    arguments: [0, -1, 1, 30, 1e9, .nan, .infinity, -.infinity] as [Double])
  func hostile(size: Double) {
    for count in [0, 1, 3, 30] {
      let layout = ForestLayout(
        trees: forest(count), canvas: ForestCanvas(width: size, screenHeight: size))
      #expect(layout.trees.allSatisfy { $0.x.isFinite && $0.y.isFinite })
      #expect(layout.stars.allSatisfy { $0.x.isFinite && $0.y.isFinite })
      #expect(layout.height.isFinite && layout.height > 0)
    }
  }

  private func places(_ layout: ForestLayout) -> [RecordUUID: [Double]] {
    Dictionary(
      uniqueKeysWithValues: layout.trees.map {
        ($0.id, [$0.x, $0.y / layout.height, Double($0.depth.rawValue)])
      })
  }
}

@Suite("The palette", .timeLimit(.minutes(20)))
struct PaletteTests {
  @Test("has the colours of dusk, earth and star")
  func colours() {
    #expect(Palette.deepNight.hex == "#0D0D1A" && Palette.duskBase.hex == "#1A1225")
    #expect(Palette.horizonWarm.hex == "#2D1F0E" && Palette.horizonCool.hex == "#111827")
    #expect(
      Palette.earthTones.map { $0.dark.hex + $0.light.hex } == [
        "#3D2B1F#7A5C45", "#C17F3A#E8A94E", "#3A4A35#6B7F5E", "#4A4E5A#8A909E", "#8B6914#D4A825",
      ])
    #expect(Palette.treeGrey == RGB(red: 0.55, green: 0.55, blue: 0.60))
    #expect(Palette.starLight.hex == "#F0EDE6")
  }

  @Test("the sky goes from the warm horizon below to deep night above")
  func dusk() {
    #expect(Palette.dusk.map(\.hex) == ["#2D1F0E", "#1A1225", "#0D0D1A"])
  }

  @Test("one colour becomes another, within its ends")
  func interpolation() {
    let (a, b) = (RGB(hex: 0x000000), RGB(hex: 0xFF8000))
    #expect(RGB.interpolate(from: a, to: b, t: 0.5).red == 0.5)
    #expect(RGB.interpolate(from: a, to: b, t: -3) == a)
    #expect(RGB.interpolate(from: a, to: b, t: 7) == b)
  }

  @Test("a star is an upright cross, a smaller one between, and a glow")
  func star() {
    #expect(StarGlyph.strokes.map(\.degrees) == [0, 90, 45, 135])
    #expect(StarGlyph.strokes.map(\.length) == [18, 18, 14, 14])
    #expect(StarGlyph.strokes.map(\.width) == [2, 2, 1.5, 1.5])
    #expect(StarGlyph.glowRadius == 8 && StarGlyph.glowOpacity == 0.6)
  }
}

@Suite("Silhouettes", .timeLimit(.minutes(20)))
struct SilhouetteTests {
  @Test("every form can be read, fills its square, and stands on its ground")
  func readable() throws {
    #expect(Set(TreeSilhouette.allCases.map(\.pathData)).count == 8)
    for tree in TreeSilhouette.allCases {
      let path = try #require(SilhouettePath(data: tree.pathData), "\(tree)")
      let points = path.outlines.joined()
      let (left, right) = (points.map(\.x).min() ?? 0, points.map(\.x).max() ?? 0)
      let (top, bottom) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 0)
      #expect(left >= 0 && right <= 1024 && top >= 0, "\(tree)")
      #expect((1000...1010).contains(bottom) && bottom - top > 650, "\(tree)")
      #expect(abs((left + right) / 2 - 512) < 6, "\(tree)")
      #expect(tree.pathData.allSatisfy { "Mlcz0123456789 -".contains($0) }, "\(tree)")
    }
  }

  @Test("the coverage of cells adds up to the area, holes left out")
  func coverage() throws {
    let square = "M256 256L768 256L768 768L256 768ZM384 384L384 640L640 640L640 384Z"
    let path = try #require(SilhouettePath(data: square))
    let cells = path.coverage(columns: 8, rows: 8)
    #expect(cells.count == 8 && cells.allSatisfy { $0.count == 8 })
    let area = cells.joined().reduce(0, +) / 64
    #expect(abs(area - (0.25 - 0.0625)) < 1e-9)
    #expect(cells[2][2] == 1 && cells[0][0] == 0 && cells[4][4] == 0)
    for tree in TreeSilhouette.allCases {
      let cells = tree.path.coverage(columns: 40, rows: 20)
      let filled = cells.joined().reduce(0, +) / 800
      #expect((0.08...0.6).contains(filled), "\(tree) \(filled)")
      #expect(cells.joined().allSatisfy { (0...1).contains($0) })
      // The trunk is in the middle.
      #expect(cells[19][18...21].contains { $0 > 0.2 }, "\(tree)")
    }
    #expect(path.coverage(columns: 0, rows: 100_000).count == 512)
  }

  @Test(
    "a path that cannot be read is nil, and a plain crown stands for it",
    arguments: [
      "", "M", "M1", "M1 2", "z", "L1 2", "M0 0A1 1 0 0 0 1 1", "M0 0L1 1 2", "M0 0L1e9 1",
      "M0 0L1 x", "12 13", "M0 0 1 1 2 2z5", "M0 0L--1 2", String(repeating: "M0 0", count: 70_000),
      "M0 0L1 1L2 2\u{0}",
    ])
  func malformed(data: String) {
    #expect(SilhouettePath(data: data) == nil)
  }

  @Test("the plain crown leaves 15 % at the sides and 5 % above and below")
  func fallback() {
    let points = SilhouettePath.fallback.outlines.joined()
    #expect(abs((points.map(\.x).min() ?? 0) - 153.6) < 1e-6)
    #expect(abs((points.map(\.y).max() ?? 0) - 972.8) < 1e-6)
  }

  @Test("random data never traps")
  func fuzz() {
    let letters = Array("MLCQZmlcqz0123456789-+. ,eAé\u{0}")
    checkLaw(cases: 3000) { random in
      let text = String(
        (0..<Int.random(in: 0...60, using: &random)).map { _ in
          letters[Int.random(in: letters.indices, using: &random)]
        })
      guard let path = SilhouettePath(data: text) else { return true }
      let cells = path.coverage(columns: 5, rows: 5)
      return cells.joined().allSatisfy { $0 >= 0 && $0 <= 1 }
    }
  }
}
