// SPDX-License-Identifier: Apache-2.0
// Places the marks of a twig's sprouts along it.

import AtrestPresentation
import TrunkDomain

/// Draws what is on a twig.
enum TwigInk {
  /// Draws the marks from the tip inwards, on both sides in turn.
  static func draw(
    _ marks: [(sprout: Sprout, mark: Mark)], on curve: Curve, size: Double,
    in markup: inout Markup
  ) {
    // Blossoms in front of leaves, and the tip's mark in front of all.
    let step = min(0.2, 0.9 / Double(max(1, marks.count)))
    for isFront in [false, true] {
      for index in marks.indices.reversed() where marks[index].mark.isBlossom == isFront {
        let (sprout, mark) = marks[index]
        var grain = Grain(of: sprout.id)
        // A scar is in the wood, not at the tip.
        let t = mark == .scar ? 0.55 - 0.1 * grain.next() : 1 - Double(index) * step
        let along = curve.direction(t)
        let side = index % 2 == 0 ? 1.0 : -1.0
        var place = curve.point(t)
        var direction = along
        switch mark {
        case .leaf, .bud:
          if index > 0 {
            direction = along.turned(halfTangent: side * (0.3 + 0.25 * grain.next()))
          }
        case .blossom:
          place = place + along.turned * (side * size * (index == 0 ? 0 : 0.34))
        case .scar: break
        }
        MarkInk.draw(
          mark, at: place, direction: direction, size: size, tone: grain.next(), in: &markup)
      }
    }
  }
}
