// SPDX-License-Identifier: Apache-2.0
// Draws one tree at dusk as SVG: materialising, established or incomplete.

import AtrestDomain

/// One tree as SVG. Deterministic: equal trees give equal bytes in every process.
public enum TreePicture {
  /// The valid side lengths in points.
  public static let sides = 1.0...10_000.0

  /// Draws the tree of an ended fast.
  ///
  /// - Parameters:
  ///   - zone: The zone for the date in the screen reader's text.
  ///   - width: In points; clamped to `sides`, like `height`.
  /// - Returns: An SVG 1.1 document without scripts or external references.
  public static func svg(
    _ tree: Tree, in zone: ZoneOffsets, width: Double = 390, height: Double = 844
  ) -> String {
    svg(
      tree.character, tree.state, title: tree.words(in: zone), width: width, height: height)
  }

  /// Draws a tree in any state.
  ///
  /// A materialising tree has the timer's colour and opacity, and settles from the ground up: the
  /// settled part is sharp, the rest a faint mist.
  /// - Parameter title: The screen reader's text; by default that of a materialising tree.
  public static func svg(
    _ character: TreeCharacter, _ state: TreeState, title: String? = nil, width: Double = 390,
    height: Double = 844
  ) -> String {
    func sane(_ side: Double) -> Double {
      side.isNaN ? sides.lowerBound : min(max(side, sides.lowerBound), sides.upperBound)
    }
    return TreeScene(
      character: character, state: state,
      title: title ?? Word.forestTreeMaterialisingA11y.text, width: sane(width),
      height: sane(height)
    ).svg()
  }
}

/// The layout of one picture.
private struct TreeScene {
  let character: TreeCharacter
  let title: String
  let width: Double
  let height: Double
  let sky: Sky
  let place: TimerTree.Layout
  /// How much of the tree is there, 0 to 1.
  let progress: Double
  let isIncomplete: Bool
  let hasStar: Bool
  let appearance: TreeAppearance

  init(
    character: TreeCharacter, state: TreeState, title: String, width: Double, height: Double
  ) {
    self.character = character
    self.title = title
    self.width = width
    self.height = height
    sky = Sky(range: 0...height)
    // On a wide screen the tree must not grow out of its height.
    place = TimerTree.Layout(screenWidth: min(width, height * 0.86), screenHeight: height)
    isIncomplete = state == .incomplete
    hasStar = state == .established
    switch state {
    case .established, .incomplete:
      progress = 1
      appearance = TreeAppearance(character: character, state: state)
    case .materialising(let part):
      progress = part.isNaN ? 0 : min(max(part, 0), 1)
      appearance = TreeAppearance(
        character: character, state: .materialising(progress: progress))
    }
  }

  /// The middle of the picture; the place may be laid out for a narrower screen.
  private var x: Double { width / 2 }
  private var foot: Double { place.treeY + place.treeSize * 0.468 }

  func svg() -> String {
    var markup = Markup(
      title: title, summary: hasStar ? Word.forestStarA11y.text : title, width: width,
      height: height)
    markup.group("defs") { define(in: &$0) }
    sky.draw(in: &markup, width: width)
    drawBreath(in: &markup)
    drawTree(in: &markup)
    drawGround(in: &markup)
    if hasStar {
      StarInk.draw(
        in: &markup, x: x + place.treeSize * 0.38, y: place.starY,
        size: StarGlyph.size * max(1, place.treeSize / 280), opacity: 1)
    }
    return markup.finished()
  }

  private func define(in markup: inout Markup) {
    sky.define(in: &markup)
    if hasStar { StarInk.define(in: &markup) }
    TreeInk.define(forms: [TreeSilhouette(variant: character.variant)], tones: [], in: &markup)
    let grey = Palette.treeGrey
    let earth = Palette.earthTone(character.tone)
    let shadow = RGB.interpolate(from: grey, to: Palette.deepNight, t: 0.45)
    markup.defineFade(
      id: "tone",
      TreeInk.shade(
        light: appearance.fill,
        dark: isIncomplete ? shadow : .interpolate(from: shadow, to: earth.dark, t: progress)))
    for index in 0..<3 { Ground.defineRidge(Ground.hours - 1 - index, in: &markup) }
    Ground.define(in: &markup)
    markup.group("radialGradient", [("id", "breath")]) { markup in
      let light = Palette.accent
      markup.stops([(0, light, 0.13), (0.35, light, 0.08), (0.7, light, 0.02), (1, light, 0)])
    }
    if progress < 1 { defineVeil(in: &markup) }
  }

  /// Defines the mask of the settled part and the blur of the rest.
  private func defineVeil(in markup: inout Markup) {
    let size = place.treeSize
    let (top, left) = (place.treeY - size / 2, x - size / 2)
    markup.group(
      "linearGradient",
      [
        ("id", "rising"), ("gradientUnits", "userSpaceOnUse"), ("x1", "0"), ("x2", "0"),
        ("y1", number(top + size)), ("y2", number(top)),
      ]
    ) { markup in
      let white = RGB(hex: 0xFFFFFF)
      let stops = [(-0.2, 1.0), (-0.08, 0.86), (0.04, 0.5), (0.16, 0.14), (0.28, 0)]
      markup.stops(stops.map { (min(max(progress + $0, 0), 1), white, $1) })
    }
    markup.group(
      "mask",
      [
        ("id", "settled"), ("maskUnits", "userSpaceOnUse"), ("x", number(left)),
        ("y", number(top)), ("width", number(size)), ("height", number(size)),
      ]
    ) { markup in
      markup.element(
        "rect",
        [
          ("x", number(left)), ("y", number(top)), ("width", number(size)),
          ("height", number(size)), ("fill", "url(#rising)"),
        ])
    }
    markup.group(
      "filter",
      [
        ("id", "mist"), ("x", "-0.1"), ("y", "-0.1"), ("width", "1.2"), ("height", "1.2"),
      ]
    ) { markup in
      markup.element(
        "feGaussianBlur", [("stdDeviation", number((1 - progress) * size * 0.016))])
    }
  }

  /// A lighter area behind the tree, so that every tone stands out from the dusk.
  private func drawBreath(in markup: inout Markup) {
    let reach = place.treeSize
    markup.element(
      "ellipse",
      [
        ("cx", number(x)), ("cy", number(place.treeY)), ("rx", number(reach * 0.95)),
        ("ry", number(reach * 0.8)), ("fill", "url(#breath)"),
      ])
  }

  /// The hill in front of the tree's foot, so that the tree is rooted in the ground.
  private func drawGround(in markup: inout Markup) {
    let reach = place.treeSize
    let rise = min(width * 0.055, reach * 0.2)
    let hills = [(0.0, 0.5, 1.0), (reach * 0.26, 0.2, -0.6), (reach * 0.55, 0.72, 0.8)]
    for (index, hill) in hills.enumerated() {
      let (down, peak, lean) = hill
      let top = foot + down
      guard top < height else { break }
      let line = curve(through: [
        (-20, top + rise * (1 + 0.25 * lean)), (width * peak, top),
        (width + 20, top + rise * (1.1 - 0.25 * lean)),
      ])
      let body = line + "V\(number(top + rise * 1.3 + reach * 0.42))H-20Z"
      for fill in ["sky", "ridge-\(Ground.hours - 1 - index)"] {
        markup.element("path", [("d", body), ("fill", "url(#\(fill))")])
      }
    }
    Ground.draw(in: &markup, width: width, bottom: height, screen: height)
  }

  private func drawTree(in markup: inout Markup) {
    guard progress < 1 else { return drawTree(opacity: appearance.opacity, in: &markup) }
    markup.group("g", [("filter", "url(#mist)")]) {
      drawTree(opacity: appearance.opacity, in: &$0)
    }
    // On a group, because a mask on a `use` would be moved with it.
    markup.group("g", [("mask", "url(#settled)")]) {
      drawTree(opacity: min(1, 0.22 + appearance.opacity), in: &$0)
    }
  }

  private func drawTree(opacity: Double, in markup: inout Markup) {
    TreeInk.draw(
      in: &markup, variant: character.variant, x: x, y: place.treeY, size: place.treeSize,
      fill: "url(#tone)", opacity: opacity)
  }
}
