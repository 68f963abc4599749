// SPDX-License-Identifier: Apache-2.0
// Draws a silhouette: a symbol for its form, a gradient for its tone.

import AtrestDomain

/// Draws trees.
enum TreeInk {
  /// Defines only the symbols and gradients in use, to keep files small. A browser's page defines
  /// the symbols itself, once for all pictures.
  static func define(
    forms: Set<TreeSilhouette>, tones: Set<Int>, in markup: inout Markup
  ) {
    #if !OUTLINES_IN_PAGE
      for form in forms.sorted(by: { $0.rawValue < $1.rawValue }) {
        let (side, id) = (number(TreeSilhouette.side), "tree-\(form.rawValue)")
        markup.group("symbol", [("id", id), ("viewBox", "0 0 \(side) \(side)")]) { markup in
          markup.element("path", [("d", form.pathData)])
        }
      }
    #endif
    for tone in tones.sorted() {
      let earth = earth(tone)
      markup.defineFade(id: "tone-\(tone)", shade(light: earth.light, dark: earth.dark))
    }
  }

  /// A tone's colours. Shade is lifted where it would be lost in the dusk, as bark's and moss's.
  private static func earth(_ tone: Int) -> (light: RGB, dark: RGB) {
    let earth = Palette.earthTone(tone)
    let lifted = (0...20).lazy
      .map { RGB.interpolate(from: earth.dark, to: earth.light, t: Double($0) / 20) }
      .first { Contrast.ratio($0, Palette.duskBase) >= Contrast.shape }
    return (earth.light, lifted ?? earth.light)
  }

  /// The opacity with which a tree's crown has `Contrast.shape`, where its distance gives it less.
  static func visible(tone: Int, behind: RGB, opacity: Double) -> Double {
    let light = Palette.earthTone(tone).light
    return (0..<50).lazy.map { opacity + Double($0) / 50 }.first {
      $0 < 1
        && Contrast.ratio(.interpolate(from: behind, to: light, t: $0), behind) >= Contrast.shape
    } ?? 1
  }

  /// Light from above: the light tone at the top fades into the dark one at the ground.
  static func shade(
    light: RGB, dark: RGB
  ) -> [(offset: Double, colour: RGB, opacity: Double)] {
    [
      (0, light, 1), (0.45, .interpolate(from: light, to: dark, t: 0.18), 1),
      (0.78, .interpolate(from: light, to: dark, t: 0.5), 1),
      (1, .interpolate(from: light, to: dark, t: 0.85), 1),
    ]
  }

  /// Draws a tree of a forest.
  static func draw(
    _ staged: StagedTree, in markup: inout Markup, fill: String, opacity: Double = 1,
    title: String? = nil
  ) {
    draw(
      in: &markup, variant: staged.tree.appearance.variant, x: staged.x, y: staged.y,
      size: staged.size, fill: fill, opacity: opacity, isMirrored: staged.isMirrored, title: title)
  }

  /// Draws a silhouette at a centre.
  static func draw(
    in markup: inout Markup, variant: Int, x: Double, y: Double, size: Double, fill: String,
    opacity: Double = 1, isMirrored: Bool = false, title: String? = nil
  ) {
    var attributes = [
      ("href", "#tree-\(TreeSilhouette(variant: variant).rawValue)"), ("x", number(x - size / 2)),
      ("y", number(y - size / 2)), ("width", number(size)), ("height", number(size)),
      ("fill", fill),
    ]
    if isMirrored {
      attributes.append(("transform", "matrix(-1 0 0 1 \(number(2 * x)) 0)"))
    }
    if opacity < 1 { attributes.append(("opacity", part(opacity))) }
    guard let title else { return markup.element("use", attributes) }
    attributes.append(("role", "img"))
    markup.group("use", attributes) { $0.element("title", [], words: title) }
  }
}
