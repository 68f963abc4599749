// SPDX-License-Identifier: Apache-2.0
// Draws one twig as SVG: its sprouts along it, with their states and last words.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// One twig as SVG. Deterministic: equal gardens give equal bytes in every process.
public enum TwigPicture {
  /// The most sprouts that are drawn; the picture says how many more there are.
  public static let sproutLimit = 24

  /// Draws a twig: what grows first, then harvests, drafts and the uprooted. Each has its title,
  /// its season and ground, its state, its saga, and the last words about it.
  ///
  /// - Parameters:
  ///   - now: The time at which progress is shown.
  ///   - zone: The zone of the dates.
  ///   - width: In points; clamped to `PictureSize.sides`. The height follows from the sprouts.
  ///   - height: The least height in points; clamped likewise.
  /// - Returns: An SVG document without scripts or external references.
  /// - Complexity: O(n) in the garden's records.
  public static func svg(
    _ garden: Garden, _ twig: Twig, at now: WallTime, in zone: ZoneOffsets, width: Double = 390,
    height: Double = 0
  ) -> String {
    mapped(garden, twig, at: now, in: zone, width: width, height: height).svg
  }

  /// The same picture with a spot for each sprout that is drawn, from above.
  public static func mapped(
    _ garden: Garden, _ twig: Twig, at now: WallTime, in zone: ZoneOffsets, width: Double = 390,
    height: Double = 0
  ) -> MappedPicture {
    let scene = TwigScene(
      garden: garden, twig: twig, now: now, zone: zone, width: PictureSize.clamped(width),
      least: PictureSize.clamped(height))
    return MappedPicture(
      svg: scene.svg(), width: scene.width, height: scene.height, spots: scene.spots)
  }
}

/// The layout of one picture.
private struct TwigScene {
  /// A sprout with its lines of words.
  struct Entry {
    let sprout: Sprout
    let mark: Mark
    let title: [String]
    let facts: [String]
    let words: [String]
    let y: Double

    var height: Double { Self.height(title, facts, words) }

    static func height(_ title: [String], _ facts: [String], _ words: [String]) -> Double {
      Double(title.count) * 20 + Double(facts.count) * 17 + Double(words.count) * 18 + 24
    }
  }

  let garden: Garden
  let twig: Twig
  let content: TwigContent
  let width: Double
  let entries: [Entry]
  let note: [String]
  let height: Double
  /// The lower side of the last entry.
  private let end: Double
  private let left = 74.0
  /// The widest column of words.
  private static let reach = 720.0

  init(
    garden: Garden, twig: Twig, now: WallTime, zone: ZoneOffsets, width: Double, least: Double
  ) {
    self.garden = garden
    self.twig = twig
    self.width = width
    content = TwigContent.of(twig, in: garden, at: now)
    // Characters of the three fonts that fit beside the twig.
    func room(_ points: Double) -> Int {
      max(10, Int((min(width, Self.reach) - 74 - 20) / points))
    }
    let own = garden.labels[.twig(twig)]?.note ?? ""
    note = ShownText.lines(own, width: max(10, Int((min(width, Self.reach) - 48) / 7.6)), count: 2)
    let said = LastWords(of: content.sprouts.map { $0.sprout }, in: garden)
    var y = 96 + Double(note.count) * 19
    var entries: [Entry] = []
    for (sprout, mark) in content.sprouts.prefix(TwigPicture.sproutLimit) {
      let title = ShownText.lines(PictureWords.title(of: sprout), width: room(9.2), count: 2)
      var fact = "\(sprout.plantedPlan.label); "
      fact += PictureWords.state(of: sprout, at: now, in: zone)
      if let saga = garden.leaf(of: sprout) {
        fact += "; of \u{201C}\(ShownText.line(saga.name, limit: 40))\u{201D}"
      }
      let facts = ShownText.lines(fact, width: room(7.2), count: 3)
      let words = ShownText.lines(said.about(sprout), width: room(7.8), count: 3)
      let entry = Entry(
        sprout: sprout, mark: mark, title: title, facts: facts, words: words, y: y)
      entries.append(entry)
      y += entry.height
    }
    self.entries = entries
    let more = content.sprouts.count > entries.count || entries.isEmpty
    end = y
    height = max(240, y + (more ? 44 : 16), least)
  }

  func svg() -> String {
    let heading = Heading(.twig(twig), counts: content.counts, in: garden)
    var markup = Markup(
      title: heading.name,
      summary: entries.isEmpty
        ? heading.counts
        : entries.map { ($0.title + $0.facts).joined(separator: " ") }.joined(separator: ". "),
      width: width, height: height)
    markup.group("defs") { markup in
      SkyInk.define(in: &markup)
      MarkInk.define(in: &markup)
      WoodInk.define(in: &markup, from: 22, to: 44)
    }
    SkyInk.draw(in: &markup, width: width, height: height)
    // On a wide picture in the middle: long lines are hard to read.
    let inset = max(0, (width - Self.reach) / 2)
    var frame = [("font-family", Typeface.family)]
    if inset > 0 { frame.append(("transform", "translate(\(points(inset)) 0)")) }
    markup.group("g", frame) { markup in
      drawWood(in: &markup)
      heading.write(in: &markup, width: min(width, Self.reach))
      for (index, line) in note.enumerated() {
        markup.write(
          line, x: 24, y: 92 + Double(index) * 19, size: 14, colour: Daylight.ink, isItalic: true)
      }
      for entry in entries { write(entry, in: &markup) }
      let more = content.sprouts.count - entries.count
      if more > 0 || entries.isEmpty {
        markup.write(
          more > 0 ? "and \(more) more" : "Nothing is planted here yet.", x: left,
          y: more > 0 ? end + 22 : 130, size: 15, colour: Daylight.softInk)
      }
    }
    return markup.finished()
  }

  var spots: [PictureSpot] {
    let inset = max(0, (width - Self.reach) / 2)
    return entries.map { entry in
      PictureSpot(
        subject: .sprout(entry.sprout.id),
        words: (entry.title + entry.facts).joined(separator: " "), x: inset, y: entry.y - 8,
        width: min(width, Self.reach), height: entry.height - 4)
    }
  }

  /// The twig from below to above, and the stalk of each sprout.
  private func drawWood(in markup: inout Markup) {
    let top = entries.first.map { $0.y } ?? 110
    let stem = Curve(
      start: Point(x: 26, y: height + 6), control: Point(x: 22, y: (height + top) / 2),
      end: Point(x: 34, y: top - 8))
    markup.element("path", [("d", stem.tapered(from: 14, to: 2.4)), ("fill", "url(#bark)")])
    for entry in entries.reversed() {
      let place = stalk(of: entry, on: stem)
      if entry.mark != .scar {
        markup.element(
          "path",
          [
            ("d", place.path), ("fill", "none"), ("stroke", Daylight.twig.hex),
            ("stroke-width", "2.4"), ("stroke-linecap", "round"),
          ])
      }
      var grain = Grain(of: entry.sprout.id)
      MarkInk.draw(
        entry.mark, at: entry.mark == .scar ? place.start : place.end,
        direction: entry.mark == .scar ? Point(x: 0, y: -1) : place.direction(0.8), size: 25,
        tone: grain.next(), in: &markup)
    }
  }

  private func stalk(of entry: Entry, on stem: Curve) -> Curve {
    let y = entry.y + 22
    let t = min(1, max(0, (stem.start.y - y) / (stem.start.y - stem.end.y)))
    let start = stem.point(t)
    let isBlossom = entry.mark.isBlossom
    let end = Point(x: isBlossom ? 52 : 44, y: entry.y + (isBlossom ? 8 : 11))
    return Curve(start: start, control: Point(x: (start.x + end.x) / 2 + 2, y: y - 3), end: end)
  }

  private func write(_ entry: Entry, in markup: inout Markup) {
    var y = entry.y + 14
    let isOver = entry.mark == .scar
    for line in entry.title {
      markup.write(
        line, x: left, y: y, size: 15.5, colour: isOver ? Daylight.softInk : Daylight.ink,
        weight: "600")
      y += 20
    }
    for line in entry.facts {
      y -= 1
      markup.write(line, x: left, y: y, size: 13, colour: Daylight.softInk)
      y += 18
    }
    for line in entry.words {
      markup.write(line, x: left, y: y + 1, size: 14, colour: Daylight.ink, isItalic: true)
      y += 18
    }
  }
}
