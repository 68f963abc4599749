// SPDX-License-Identifier: Apache-2.0
// Draws the whole garden as SVG: one tree in daylight, on its soil.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// The whole garden as SVG. Deterministic: equal gardens give equal bytes in every process.
public enum GardenPicture {
  /// Draws the tree with its eight limbs and 64 twigs, the soil under it, water and sun.
  ///
  /// A twig has a mark for each of its sprouts as far as there is room: at most 6, on large
  /// pictures 9, of every state at least one.
  /// - Parameters:
  ///   - now: The time at which progress and meters are shown.
  ///   - zone: The zone that decides which day it is.
  ///   - width: In points; clamped to `PictureSize.sides`, like `height`.
  /// - Returns: An SVG document without scripts or external references, below 200 kB.
  /// - Complexity: O(n) in the garden's records.
  public static func svg(
    _ garden: Garden, at now: WallTime, in zone: ZoneOffsets, width: Double = 390,
    height: Double = 844
  ) -> String {
    mapped(garden, at: now, in: zone, width: width, height: height).svg
  }

  /// The same picture with a spot for each branch, around the outer half of its limb.
  public static func mapped(
    _ garden: Garden, at now: WallTime, in zone: ZoneOffsets, width: Double = 390,
    height: Double = 844
  ) -> MappedPicture {
    let scene = GardenScene(
      garden: garden, now: now, zone: zone, width: PictureSize.clamped(width),
      height: PictureSize.clamped(height))
    return MappedPicture(
      svg: scene.svg(), width: scene.width, height: scene.height, spots: scene.spots)
  }
}

/// The layout of one picture.
private struct GardenScene {
  let garden: Garden
  let width: Double
  let height: Double
  let contents: [TwigContent]
  let counts: SproutCounts
  let meters: Meters
  let tree: TreeLayout
  let ground: GroundInk
  /// The size of words.
  let wordSize: Double

  init(garden: Garden, now: WallTime, zone: ZoneOffsets, width: Double, height: Double) {
    self.garden = garden
    self.width = width
    self.height = height
    contents = TwigContent.all(of: garden, at: now)
    counts = contents.reduce(SproutCounts()) { $0 + $1.counts }
    meters = garden.meters(at: now, in: zone)
    wordSize = width < 700 ? 13 : 15
    let depth = min(max(height * 0.2, 60), 180)
    let line = height - depth
    let growth = TreeFrame.growth(of: garden, counts: counts)
    let tall = max(40, line - min(104, height * 0.13))
    // Twigs and their marks reach beyond the limbs.
    let reach = min(width * 0.405, tall * 0.74)
    tree = TreeLayout(
      TreeFrame(
        foot: Point(x: width / 2, y: line), reach: reach, height: min(tall, reach * 3.3),
        growth: growth))
    ground = GroundInk(
      width: width, height: height, line: line, meters: meters, growth: growth,
      trunk: tree.trunkWidth)
  }

  private var name: String {
    let shown = ShownText.line(garden.name ?? "", limit: 60)
    return shown.isEmpty ? "Trunk" : shown
  }

  func svg() -> String {
    var markup = Markup(title: name, summary: summary, width: width, height: height)
    markup.group("defs") { markup in
      SkyInk.define(in: &markup)
      MarkInk.define(in: &markup)
      ground.define(in: &markup)
      let foot = tree.frame.foot.x
      WoodInk.define(
        in: &markup, from: foot - tree.trunkWidth * 0.7, to: foot + tree.trunkWidth * 0.8)
      markup.defineGlow(id: "foliage", Daylight.leaves[0], opacity: 0.42)
      markup.defineGlow(id: "bloom", Daylight.petals[2], opacity: 0.5)
    }
    SkyInk.draw(in: &markup, width: width, height: height)
    let sun = min(26, width * 0.066)
    SkyInk.drawSun(
      meters, at: Point(x: width - sun * 2.1, y: sun * 2.1), size: sun, in: &markup)
    ground.drawDistance(in: &markup)
    drawFoliage(in: &markup)
    ground.draw(in: &markup)
    WoodInk.drawTrunk(tree, in: &markup)
    WoodInk.drawLimbs(tree, in: &markup)
    WoodInk.drawTwigs(tree, isBare: { contents[$0.index].counts.all == 0 }, in: &markup)
    ground.drawFallen(
      contents.flatMap { $0.sprouts.lazy.filter { $0.mark == .scar }.map { $0.sprout } },
      in: &markup)
    drawMarks(in: &markup)
    markup.group("g", [("font-family", Typeface.family)]) { drawWords(in: &$0) }
    return markup.finished()
  }

  var spots: [PictureSpot] {
    tree.limbs.map { limb in
      let counts = contents.reduce(SproutCounts()) { sum, content in
        content.twig.branch == limb.branch ? sum + content.counts : sum
      }
      let heading = Heading(.branch(limb.branch), counts: counts, in: garden)
      let (middle, size) = (limb.curve.point(0.8), max(48, tree.cell * 2.6))
      return PictureSpot(
        subject: .node(.branch(limb.branch)), words: heading.spoken, x: middle.x - size / 2,
        y: middle.y - size / 2, width: size, height: size)
    }
  }

  private var summary: String {
    "A tree with \(PictureWords.counts(counts)). Soil \(PictureWords.soil(meters)); "
      + "\(PictureWords.waterAndSun(meters))."
  }

  /// A wash of colour behind the twigs that have leaves or blossoms.
  private func drawFoliage(in markup: inout Markup) {
    for place in tree.limbs.flatMap({ $0.twigs }) {
      let counts = contents[place.twig.index].counts
      let number = counts.growing + counts.harvested
      guard number > 0 else { continue }
      let radius = tree.cell * (0.7 + 0.08 * Double(min(number, 8)))
      let middle = place.curve.point(0.75)
      markup.element(
        "circle",
        [
          ("cx", points(middle.x)), ("cy", points(middle.y)), ("r", points(radius)),
          ("fill", counts.harvested > counts.growing ? "url(#bloom)" : "url(#foliage)"),
        ])
    }
  }

  private func drawMarks(in markup: inout Markup) {
    let room = tree.cell > 52 ? 9 : 6
    for place in tree.limbs.flatMap({ $0.twigs }) {
      let content = contents[place.twig.index]
      let node = NodeID.twig(place.twig)
      let label = PictureWords.label(of: node, in: garden)
      guard content.counts.all > 0 || label != nil else { continue }
      markup.group("g") { markup in
        let name = label.map { "\(place.twig.number) \($0)" } ?? node.plainName
        markup.element("title", [], words: "\(name): \(PictureWords.counts(content.counts))")
        TwigInk.draw(
          content.marks(room: room), on: place.curve, size: tree.cell * 0.46, in: &markup)
      }
    }
  }

  private func drawWords(in markup: inout Markup) {
    let margin = min(24, width * 0.05)
    let room = width - margin * 2 - min(26, width * 0.066) * 3.6
    let nameSize = wordSize * 1.55
    markup.write(
      ShownText.fitted(name, points: room, size: nameSize), x: margin, y: margin + nameSize * 0.9,
      size: nameSize, colour: Daylight.ink, weight: "600")
    var lines = [PictureWords.counts(counts)]
    if ShownText.width(of: lines[0], size: wordSize) > room {
      let alive = SproutCounts(growing: counts.growing, harvested: counts.harvested)
      let rest = SproutCounts(drafts: counts.drafts, uprooted: counts.uprooted)
      lines = [PictureWords.counts(alive), PictureWords.counts(rest)]
    }
    for (row, line) in lines.enumerated() {
      markup.write(
        line, x: margin, y: margin + nameSize * 0.9 + wordSize * (1.6 + 1.35 * Double(row)),
        size: wordSize, colour: Daylight.softInk)
    }
    for limb in tree.limbs { drawLabel(of: limb, in: &markup) }
    drawMeters(in: &markup)
  }

  /// Writes the label of a branch beyond the end of its limb.
  private func drawLabel(of limb: TreeLayout.Limb, in markup: inout Markup) {
    guard let label = PictureWords.label(of: .branch(limb.branch), in: garden) else { return }
    let words = ShownText.fitted(label, points: min(170, width * 0.27), size: wordSize)
    let half = ShownText.width(of: words, size: wordSize) / 2
    let tip = limb.curve.end + limb.curve.direction(1) * (tree.cell * 0.4)
    // Beside a side limb, where there is room.
    let position = TreeLayout.position(of: limb.branch)
    let outward = position <= 1 ? -1.0 : position >= 6 ? 1 : 0
    let beside = limb.curve.end.x + outward * (tree.cell * 1.5 + half)
    if outward != 0, beside > half + 8, beside < width - half - 8 {
      markup.write(
        words, x: beside, y: limb.curve.end.y + wordSize * 0.4, size: wordSize,
        colour: Daylight.ink, anchor: "middle", weight: "600", halo: Daylight.paper)
      return
    }
    let x = min(max(tip.x, half + 8), width - half - 8)
    // Above the end or below, near it or not: where the words cover the least.
    var (y, least) = (tip.y, Double.infinity)
    for (index, away) in [-0.75, 0.95, -1.15, 1.35, -1.6, 1.75].enumerated() {
      let line = tip.y + away * tree.cell
      let cover = Double(index) * 0.9 + covered(x: x, y: line, half: half)
      if cover < least { (y, least) = (line, cover) }
    }
    markup.write(
      words, x: x, y: y, size: wordSize, colour: Daylight.ink, anchor: "middle", weight: "600",
      halo: Daylight.paper)
  }

  /// How much words in a place would cover: marks count more than wood.
  private func covered(x: Double, y: Double, half: Double) -> Double {
    let margin = tree.cell * 0.3
    var sum = 0.0
    for limb in tree.limbs {
      for twig in limb.twigs {
        let weight = contents[twig.twig.index].counts.all > 0 ? 2.0 : 0.7
        for part in [0.5, 1] {
          let point = twig.curve.point(part)
          if abs(point.x - x) < half + margin, point.y < y + margin,
            point.y > y - wordSize - margin
          {
            sum += weight
          }
        }
      }
      for part in [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] {
        let point = limb.curve.point(part)
        if abs(point.x - x) < half, point.y < y + 4, point.y > y - wordSize - 4 { sum += 1 }
      }
    }
    return sum
  }

  /// A strip of paper on the soil that says what the meters show.
  private func drawMeters(in markup: inout Markup) {
    let words = "Soil \(PictureWords.soil(meters))"
    let size = wordSize
    let drop = size * 1.1
    let wide = ShownText.width(of: words, size: size)
    let strip = wide + drop * 4.2 + size * 3.4
    let left = (width - strip) / 2
    let y = height - min(52, (height - tree.frame.foot.y) * 0.36)
    markup.element(
      "rect",
      [
        ("x", points(left)), ("y", points(y - size * 1.45)), ("width", points(strip)),
        ("height", points(size * 2.3)), ("rx", points(size * 1.15)),
        ("fill", Daylight.paper.hex), ("fill-opacity", "0.9"),
      ])
    markup.write(
      words, x: left + size * 1.2, y: y, size: size,
      colour: meters.soil < .zero ? Daylight.dryInk : Daylight.ink, weight: "600")
    SkyInk.drawDrops(
      meters, at: Point(x: left + wide + size * 2.6, y: y - size * 0.32), size: drop, in: &markup)
  }
}
