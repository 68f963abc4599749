// SPDX-License-Identifier: Apache-2.0
// Draws one branch as SVG: its limb with eight twigs, and what grows on each.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// One branch as SVG. Deterministic: equal gardens give equal bytes in every process.
public enum BranchPicture {
  /// Draws a branch: the limb from below, on it the twigs from the first at the trunk to the eighth
  /// at the tip, each with its label and the titles of its sprouts. On a wide picture the twigs are
  /// on both sides.
  ///
  /// - Parameters:
  ///   - branch: The branch, from 0; taken modulo the number of branches.
  ///   - now: The time at which progress is shown.
  ///   - zone: The zone of dates in the screen reader's text.
  ///   - width: In points; clamped to `PictureSize.sides`. The height follows from it.
  ///   - height: The least height in points; clamped likewise.
  /// - Returns: An SVG document without scripts or external references.
  /// - Complexity: O(n) in the garden's records.
  public static func svg(
    _ garden: Garden, branch: Int, at now: WallTime, in zone: ZoneOffsets, width: Double = 390,
    height: Double = 0
  ) -> String {
    mapped(garden, branch: branch, at: now, in: zone, width: width, height: height).svg
  }

  /// The same picture with a spot for each twig, from the trunk outwards.
  public static func mapped(
    _ garden: Garden, branch: Int, at now: WallTime, in zone: ZoneOffsets, width: Double = 390,
    height: Double = 0
  ) -> MappedPicture {
    let count = Twig.branches
    let scene = BranchScene(
      garden: garden, branch: (branch % count + count) % count, now: now,
      width: PictureSize.clamped(width), least: PictureSize.clamped(height))
    return MappedPicture(
      svg: scene.svg(), width: scene.width, height: scene.height, spots: scene.spots)
  }
}

/// The layout of one picture.
private struct BranchScene {
  let garden: Garden
  let branch: Int
  let width: Double
  let height: Double
  let contents: [TwigContent]
  let limb: Curve
  /// Whether twigs are on both sides.
  let isWide: Bool
  /// The height of a twig's row.
  private let row: Double
  private let top = 104.0
  private let size = 14.0
  /// The most titles under a twig's label.
  private let titles = 3

  init(garden: Garden, branch: Int, now: WallTime, width: Double, least: Double) {
    self.garden = garden
    self.branch = branch
    self.width = width
    contents = TwigContent.all(of: garden, at: now).filter { $0.twig.branch == branch }
    isWide = width >= 700
    let rows = isWide ? 4.5 : 8
    row = max(92, (least - top - 46) / rows)
    height = top + row * rows + 46
    let x = isWide ? width / 2 : 46
    limb = Curve(
      start: Point(x: x - 6, y: height + 8),
      control: Point(x: x - (isWide ? 24 : 14), y: height * 0.55), end: Point(x: x + 8, y: top - 8))
  }

  private var heading: Heading {
    Heading(
      .branch(branch), counts: contents.reduce(SproutCounts()) { $0 + $1.counts },
      in: garden)
  }

  func svg() -> String {
    let heading = heading
    var markup = Markup(title: heading.name, summary: summary, width: width, height: height)
    markup.group("defs") { markup in
      SkyInk.define(in: &markup)
      MarkInk.define(in: &markup)
      WoodInk.define(in: &markup, from: limb.start.x - 14, to: limb.start.x + 18)
    }
    SkyInk.draw(in: &markup, width: width, height: height)
    for content in contents { drawTwig(content, in: &markup) }
    markup.element(
      "path", [("d", limb.tapered(from: 30, to: 2)), ("fill", "url(#bark)")])
    markup.group("g", [("font-family", Typeface.family)]) { markup in
      heading.write(in: &markup, width: width)
      for content in contents { writeTwig(content, in: &markup) }
    }
    return markup.finished()
  }

  var spots: [PictureSpot] {
    contents.map { content in
      let place = place(of: content.twig)
      return PictureSpot(
        subject: .node(.twig(content.twig)),
        words: Heading(.twig(content.twig), counts: content.counts, in: garden).spoken,
        x: isWide && place.side > 0 ? width / 2 : 0, y: place.end.y - 24,
        width: isWide ? width / 2 : width, height: 88)
    }
  }

  private var summary: String {
    contents.filter { $0.counts.all > 0 }.map { content in
      "\(PictureWords.title(of: .twig(content.twig), in: garden)): "
        + PictureWords.counts(content.counts)
    }.joined(separator: "; ")
  }

  /// A twig's row: its number from the trunk decides the height.
  private func place(of twig: Twig) -> (start: Point, end: Point, side: Double) {
    let half = row / 2
    let down = isWide ? Double(twig.place) * half : Double(twig.place) * row
    let y = height - 74 - down - (isWide ? 0 : 6)
    let t = min(1, max(0, (limb.start.y - y) / (limb.start.y - limb.end.y)))
    let side = isWide && twig.place % 2 == 1 ? -1.0 : 1.0
    let start = limb.point(min(1, t * 0.99))
    let length = isWide ? 92.0 : 58.0
    return (start, Point(x: start.x + side * length, y: y - 26), side)
  }

  private func drawTwig(_ content: TwigContent, in markup: inout Markup) {
    let place = place(of: content.twig)
    let isBare = content.counts.all == 0
    let curve = Curve(
      start: place.start,
      control: Point(
        x: (place.start.x + place.end.x) / 2 + place.side * 6, y: place.start.y + 2),
      end: place.end)
    markup.element(
      "path",
      [
        ("d", curve.path), ("fill", "none"),
        ("stroke", (isBare ? Daylight.bareTwig : Daylight.twig).hex),
        ("stroke-width", isBare ? "1.6" : "2.8"), ("stroke-linecap", "round"),
      ])
    TwigInk.draw(content.marks(room: 5), on: curve, size: 24, in: &markup)
  }

  private func writeTwig(_ content: TwigContent, in markup: inout Markup) {
    let place = place(of: content.twig)
    let node = NodeID.twig(content.twig)
    let x = place.end.x + place.side * 26
    let room = place.side > 0 ? width - x - 16 : x - 16
    let anchor = place.side > 0 ? "start" : "end"
    let label = PictureWords.label(of: node, in: garden)
    let isBare = content.counts.all == 0
    var y = place.end.y + (isBare ? 6 : -4)
    let name = "\(content.twig.number)" + (label.map { " \($0)" } ?? "")
    markup.write(
      ShownText.fitted(name, points: room, size: size * 1.1), x: x, y: y, size: size,
      colour: isBare && label == nil ? Daylight.softInk : Daylight.ink, anchor: anchor,
      weight: label == nil ? nil : "600")
    let more = content.sprouts.count - titles
    for (sprout, mark) in content.sprouts.prefix(more == 1 ? titles + 1 : titles) {
      y += 18
      let words = ShownText.fitted(
        PictureWords.title(of: sprout), points: room - 20, size: size - 1)
      let at = Point(x: x + place.side * 7, y: y - 4)
      MarkInk.draw(
        mark, at: mark.isBlossom || mark == .scar ? at : at + Point(x: -6 * place.side, y: 1),
        direction: Point(x: place.side, y: -0.25).unit, size: mark == .scar ? 22 : 14, tone: 0.5,
        in: &markup)
      markup.write(
        words, x: x + place.side * 20, y: y, size: size - 1,
        colour: Daylight.softInk, anchor: anchor)
    }
    if more > 1 {
      markup.write(
        "and \(more) more", x: x + place.side * 20, y: y + 17, size: size - 2,
        colour: Daylight.softInk, anchor: anchor)
    }
  }
}
