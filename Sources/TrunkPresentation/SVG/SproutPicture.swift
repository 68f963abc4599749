// SPDX-License-Identifier: Apache-2.0
// Draws one sprout as SVG: its mark, large, on nothing.

import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// One sprout as SVG. Deterministic: equal sprouts give equal bytes in every process.
public enum SproutPicture {
  /// Draws the mark of a sprout: a bud, a leaf as large as its progress, a blossom or a scar.
  ///
  /// - Parameters:
  ///   - now: The time at which progress is shown.
  ///   - side: Of the square picture, in points; clamped to `PictureSize.sides`.
  /// - Returns: An SVG document without scripts or external references.
  /// - Complexity: O(1).
  public static func svg(_ sprout: Sprout, at now: WallTime, side: Double = 160) -> String {
    let side = PictureSize.clamped(side)
    let mark = Mark(sprout, at: now)
    var markup = Markup(
      title: PictureWords.title(of: sprout), summary: sprout.plantedPlan.label, width: side,
      height: side)
    markup.group("defs") { MarkInk.define(in: &$0) }
    let isCentred = mark.isBlossom || mark == .scar
    var grain = Grain(of: sprout.id)
    MarkInk.draw(
      mark, at: Point(x: side / 2, y: side * (isCentred ? 0.5 : 0.86)),
      direction: isCentred ? Point(x: 0, y: -1) : Point(x: 0.12, y: -1).unit,
      size: side * (isCentred ? 0.7 : 0.78), tone: grain.next(), in: &markup)
    return markup.finished()
  }
}
