// SPDX-License-Identifier: Apache-2.0
// Draws a forest at dusk as SVG.

import AtrestDomain

/// The forest as SVG. Deterministic: equal forests give equal bytes in every process.
public enum ForestPicture {
  /// The part of the canvas to draw.
  public enum Part: Hashable, Sendable {
    /// The whole canvas.
    case whole
    /// One screen at a scroll offset in points, clamped to the canvas. The stars are shifted by the
    /// parallax.
    case screen(scrolled: Double)
    /// All trees composed in one screen, as a wallpaper.
    case wallpaper
  }

  /// The screen shown when the forest is opened: around the newest tree.
  public static func opened(_ layout: ForestLayout) -> Part {
    guard let newest = layout.trees.first(where: { $0.id == layout.newest }) else {
      return .screen(scrolled: 0)
    }
    return .screen(scrolled: newest.y - layout.canvas.screenHeight * 0.62)
  }

  /// Draws a forest.
  ///
  /// - Parameters:
  ///   - layout: The positions of trees and stars.
  ///   - zone: The zone for the dates in the screen reader's text.
  ///   - part: The part of the canvas to draw.
  /// - Returns: An SVG 1.1 document without scripts or external references; about 100 KB for 200
  ///   trees.
  public static func svg(
    _ layout: ForestLayout, in zone: ZoneOffsets, part: Part = .whole
  ) -> String {
    ForestScene(layout: layout, zone: zone, part: part).svg()
  }
}

/// The layout of one picture.
private struct ForestScene {
  let layout: ForestLayout
  let zone: ZoneOffsets
  let stage: ForestStage
  let top: Double
  let height: Double
  let starShift: Double
  let sky: Sky
  let hills: [Hill]

  /// A hill and its light.
  struct Hill {
    let ridge: Ridge
    /// The points of its crest.
    let line: [(x: Double, y: Double)]
    /// The strength of the light on it, 0 to 1.
    let light: Double
    /// How far it fades out below its lowest point, in points.
    let fade: Double
  }

  init(layout: ForestLayout, zone: ZoneOffsets, part: ForestPicture.Part) {
    self.layout = layout
    self.zone = zone
    stage = ForestStage(layout, isOneScreen: part == .wallpaper)
    switch part {
    case .whole, .wallpaper:
      (top, height, starShift) = (0, stage.height, 0)
    case .screen(let scrolled):
      height = min(layout.canvas.screenHeight, stage.height)
      top = scrolled.isNaN ? 0 : min(max(scrolled, 0), stage.height - height)
      starShift = ForestCanvas.starOffset(scrolled: top)
    }
    sky = Sky(range: top...(top + height))
    hills = Self.hills(stage, layout: layout)
  }

  func svg() -> String {
    var markup = Markup(
      title: Word.navForest.text, summary: Word.forestEmpty.text, width: layout.width,
      height: height, top: top, isGroup: !layout.isEmpty)
    markup.group("defs") { define(in: &$0) }
    sky.draw(in: &markup, width: layout.width)
    drawStars(in: &markup)
    drawHills(in: &markup)
    drawGround(in: &markup)
    markup.group("g") { markup in
      for tree in stage.trees where isSeen(tree.y, size: tree.size) { draw(tree, in: &markup) }
    }
    if layout.isEmpty { drawWords(in: &markup) }
    return markup.finished()
  }

  private func define(in markup: inout Markup) {
    sky.define(in: &markup)
    if !layout.stars.isEmpty { StarInk.define(in: &markup) }
    let trees = layout.trees
    TreeInk.define(
      forms: Set(trees.map { TreeSilhouette(variant: $0.appearance.variant) }),
      tones: Set(trees.filter { $0.hasStar }.map { $0.tone }), in: &markup)
    for hour in Set(hills.map { hour(at: $0.ridge.level) }).sorted() {
      Ground.defineRidge(hour, in: &markup)
    }
    Ground.define(in: &markup)
  }

  /// Draws the stars in the open sky: above the first crest and every crown, away from the edges.
  private func drawStars(in markup: inout Markup) {
    for star in layout.stars {
      let size = star.size * min(stage.scale, 1.6)
      let inset = size * 1.2
      let x = min(max(star.x, inset), max(inset, layout.width - inset))
      let open = skyline(at: x, reach: inset) - 2 * inset
      guard open > 0 else { continue }
      let part = star.y / layout.height / ForestCanvas.starZone.upperBound
      let y = inset + part * open + starShift
      guard y <= inset + open, isSeen(y, size: inset) else { continue }
      StarInk.draw(in: &markup, x: x, y: y, size: size, opacity: star.opacity)
    }
  }

  /// The highest of the first crest and the crowns around an x, in points from the top.
  private func skyline(at x: Double, reach: Double) -> Double {
    let crest = hills.lazy.flatMap { $0.line.map { $0.y } }.min()
    let crown = stage.trees.lazy.filter { abs($0.x - x) < $0.size / 2 + reach }.map { $0.top }.min()
    return [crest, crown].compactMap { $0 }.min()
      ?? layout.height * ForestCanvas.starZone.upperBound
  }

  private func hour(at y: Double) -> Int {
    Ground.hour(at: y / stage.height)
  }

  /// The hills, farthest first: those with trees, and some in front of the last one.
  ///
  /// Their light varies, and is weak where crests are close: even stripes look like blinds.
  private static func hills(_ stage: ForestStage, layout: ForestLayout) -> [Hill] {
    var ridges = Ridge.ridges(through: stage.trees.map { $0.foot })
    guard var level = ridges.last?.level, let first = ridges.first?.level else { return [] }
    let screen = layout.canvas.screenHeight
    let size = ForestDepth.foreground.treeSize * stage.scale
    while level + screen * 0.2 < stage.height {
      level += screen * (0.1 + 0.08 * grain(level))
      ridges.append(Ridge(free: level, width: layout.width, size: size))
    }
    let spacing = max(size * 0.3, (stage.height - first) / Double(ridges.count))
    var lit = -Double.infinity
    return ridges.map { ridge in
      let chance = grain(ridge.level + 11)
      // A crest just below a bright one is hardly lit.
      let isClose = ridge.level - lit < spacing * (0.7 + 0.9 * grain(ridge.level + 5))
      if !isClose { lit = ridge.level }
      return Hill(
        ridge: ridge, line: ridge.line(width: layout.width),
        light: isClose ? 0.12 + 0.22 * chance : 0.6 + 0.4 * chance,
        fade: min(spacing * 2.2, size * 2) * (0.7 + 0.9 * chance))
    }
  }

  /// Draws the ground behind all trees, so that no hill cuts off a tree.
  private func drawHills(in markup: inout Markup) {
    for hill in hills where isSeen(hill.ridge.level, size: height) {
      // The sky first: a nearer hill hides the light on those behind it, and less so a dim one.
      let path = hill.ridge.path(width: layout.width, fade: hill.fade)
      for fill in ["sky", "ridge-\(hour(at: hill.ridge.level))"] {
        markup.element(
          "path", [("d", path), ("fill", "url(#\(fill))"), ("opacity", part(hill.light))])
      }
    }
  }

  /// Draws a tree. The background colour is painted first, so that no other tree shows through:
  /// distant trees are dim, not transparent.
  private func draw(_ staged: StagedTree, in markup: inout Markup) {
    let tree = staged.tree
    let behind = Ground.colour(at: staged.y, sky: sky, hour: hour(at: staged.y))
    let opacity =
      tree.hasStar
      ? TreeInk.visible(tone: tree.tone, behind: behind, opacity: staged.opacity) : staged.opacity
    if opacity < 1 { TreeInk.draw(staged, in: &markup, fill: behind.hex) }
    TreeInk.draw(
      staged, in: &markup,
      fill: tree.hasStar ? "url(#tone-\(tree.tone))" : tree.appearance.fill.hex,
      opacity: opacity, title: tree.tree.words(in: zone))
  }

  private func drawGround(in markup: inout Markup) {
    let bottom = top + height
    guard bottom > stage.height * 0.9 else { return }
    Ground.draw(
      in: &markup, width: layout.width, bottom: stage.height, screen: layout.canvas.screenHeight)
  }

  private func drawWords(in markup: inout Markup) {
    markup.element(
      "text",
      [
        ("x", number(layout.width / 2)), ("y", number(top + height / 2)),
        ("text-anchor", "middle"), ("font-family", Typeface.family), ("font-size", "17"),
        ("fill", Palette.muted.hex),
      ], words: Word.forestEmpty.text)
  }

  private func isSeen(_ y: Double, size: Double) -> Bool {
    y + size > top && y - size < top + height
  }
}
