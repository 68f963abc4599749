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
  let top: Double
  let height: Double
  let starShift: Double
  let sky: Sky
  let layers: [Layer]
  let hills: [(depth: ForestDepth, ridge: Ridge)]

  /// The trees of one layer and their ground.
  struct Layer {
    let depth: ForestDepth
    let trees: [PlacedTree]
    let ridges: [Ridge]
  }

  init(layout: ForestLayout, zone: ZoneOffsets, part: ForestPicture.Part) {
    self.layout = layout
    self.zone = zone
    switch part {
    case .whole:
      (top, height, starShift) = (0, layout.height, 0)
    case .screen(let scrolled):
      height = min(layout.canvas.screenHeight, layout.height)
      top = scrolled.isNaN ? 0 : min(max(scrolled, 0), layout.height - height)
      starShift = ForestCanvas.starOffset(scrolled: top)
    }
    sky = Sky(range: top...(top + height))
    layers = ForestDepth.allCases.reversed().compactMap { depth in
      let trees = layout.trees.filter { $0.depth == depth }
      guard !trees.isEmpty else { return nil }
      let ridges = Ridge.ridges(
        through: trees.map { Foot(centreX: $0.x, centreY: $0.y, size: $0.size) })
      return Layer(depth: depth, trees: trees, ridges: ridges)
    }
    hills = Self.hills(layers, layout: layout)
  }

  func svg() -> String {
    var markup = Markup(
      title: Word.navForest.text, summary: Word.forestEmpty.text, width: layout.width,
      height: height, top: top, isGroup: !layout.isEmpty)
    markup.group("defs") { define(in: &$0) }
    sky.draw(in: &markup, width: layout.width)
    drawHills(in: &markup)
    drawGround(in: &markup)
    drawStars(in: &markup)
    for layer in layers { drawTrees(of: layer, in: &markup) }
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

  private func drawStars(in markup: inout Markup) {
    let attributes =
      starShift == 0 ? [] : [("transform", "translate(0 \(number(starShift)))")]
    markup.group("g", attributes) { markup in
      for star in layout.stars where isSeen(star.y + starShift, size: star.size * 2) {
        StarInk.draw(
          in: &markup, x: star.x, y: star.y, size: star.size,
          opacity: star.opacity * clearness(at: star.y + starShift))
      }
    }
  }

  private func hour(at y: Double) -> Int {
    Ground.hour(at: y / layout.height)
  }

  /// The clarity of the air at a height: the haze over the hills dims stars.
  private func clearness(at y: Double) -> Double {
    let crest = hills.first?.ridge.level ?? .infinity
    let depth = (y - crest) / (layout.canvas.screenHeight * 0.6)
    return 1 - 0.6 * min(max(depth, 0), 1)
  }

  /// The hills, farthest first: those with trees, and some in front of the last one, so that a long
  /// canvas does not end in emptiness.
  private static func hills(
    _ layers: [Layer], layout: ForestLayout
  ) -> [(depth: ForestDepth, ridge: Ridge)] {
    var hills = layers.flatMap { layer in layer.ridges.map { (depth: layer.depth, ridge: $0) } }
      .sorted { $0.ridge.level < $1.ridge.level }
    guard var level = hills.last?.ridge.level else { return [] }
    let screen = layout.canvas.screenHeight
    while level + screen * 0.32 < layout.height {
      level += screen * (0.15 + 0.05 * grain(level))
      let size = ForestDepth.foreground.treeSize
      hills.append((.foreground, Ridge(free: level, width: layout.width, size: size)))
    }
    return hills
  }

  /// Draws the ground of all layers behind all trees, so that no hill cuts off another layer's
  /// tree.
  private func drawHills(in markup: inout Markup) {
    let spacing = layout.height * 0.75 / Double(max(1, hills.count))
    for (depth, ridge) in hills where isSeen(ridge.level, size: height) {
      // The sky first: a nearer hill hides the light on those behind it.
      let path = ridge.path(width: layout.width, fade: Ground.fade(depth, spacing: spacing))
      for fill in ["sky", "ridge-\(hour(at: ridge.level))"] {
        markup.element("path", [("d", path), ("fill", "url(#\(fill))")])
      }
    }
  }

  private func drawTrees(of layer: Layer, in markup: inout Markup) {
    markup.group("g") { markup in
      for tree in layer.trees where isSeen(tree.y, size: tree.size) {
        draw(tree, in: &markup)
      }
    }
  }

  /// Draws a tree in its layer's opacity. The background colour is painted first, so that no other
  /// tree shows through: distant trees are dim, not transparent.
  private func draw(_ tree: PlacedTree, in markup: inout Markup) {
    let variant = tree.appearance.variant
    if tree.opacity < 1 {
      TreeInk.draw(
        in: &markup, variant: variant, x: tree.x, y: tree.y, size: tree.size,
        fill: Ground.colour(behind: tree, sky: sky, hour: hour(at: tree.y)).hex)
    }
    TreeInk.draw(
      in: &markup, variant: variant, x: tree.x, y: tree.y, size: tree.size,
      fill: tree.hasStar ? "url(#tone-\(tree.tone))" : tree.appearance.fill.hex,
      opacity: tree.opacity, title: tree.tree.words(in: zone))
  }

  private func drawGround(in markup: inout Markup) {
    let bottom = top + height
    guard bottom > layout.height * 0.9 else { return }
    Ground.draw(
      in: &markup, width: layout.width, bottom: layout.height, screen: layout.canvas.screenHeight)
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
