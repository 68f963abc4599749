// SPDX-License-Identifier: Apache-2.0
// Where trunk, limbs and twigs are: one tree seen from the front, for pictures and terminals.

import AtrestPresentation
import TrunkDomain

/// The space for a tree.
struct TreeFrame {
  /// Where the trunk meets the ground.
  let foot: Point
  /// How far the crown reaches to each side.
  let reach: Double
  /// The height of the tree above the ground.
  let height: Double
  /// How grown the tree is, 0 to 1: a sapling is smaller and slimmer.
  let growth: Double

  /// How grown a garden is. Capacity and what was ever planted both count: a garden keeps growing
  /// after its capacity is full.
  static func growth(of garden: Garden, counts: SproutCounts) -> Double {
    let capacity = (garden.ledger.capacity.value - 10) / 110
    let planted = Double(counts.growing + counts.harvested + counts.uprooted)
    return min(1, max(0, 0.35 * capacity + 0.65 * planted / (planted + 14)))
  }
}

/// A tree of eight limbs with eight twigs each.
struct TreeLayout {
  /// A limb and its twigs.
  struct Limb {
    let branch: Int
    let curve: Curve
    /// The width where it leaves the trunk.
    let width: Double
    /// By place, from the trunk outwards.
    let twigs: [TwigPlace]
  }

  /// A twig.
  struct TwigPlace {
    let twig: Twig
    let curve: Curve
  }

  let frame: TreeFrame
  /// From the ground to where the topmost limbs part.
  let trunk: Curve
  /// The trunk's width above its foot.
  let trunkWidth: Double
  /// By branch.
  let limbs: [Limb]
  /// The side of a square of which each twig has one: the measure of marks.
  let cell: Double

  init(_ frame: TreeFrame) {
    self.frame = frame
    let size = 0.66 + 0.34 * frame.growth
    let (reach, height) = (max(1, frame.reach) * size, max(1, frame.height) * size)
    func place(_ x: Double, _ y: Double) -> Point {
      Point(x: frame.foot.x + x * reach, y: frame.foot.y - y * height)
    }
    // The crown is about an ellipse.
    cell = (3.14 * reach * height * 0.34 / Double(Twig.all.count)).squareRoot()
    trunkWidth = cell * (0.34 + 0.66 * frame.growth)
    let trunk = Curve(start: place(0, 0), control: place(-0.035, 0.2), end: place(0.015, 0.43))
    let (width, cell) = (trunkWidth, cell)
    self.trunk = trunk
    limbs = (0..<Twig.branches).map { branch in
      let form = Self.forms[Self.position(of: branch)]
      let start = trunk.point(form.leaves)
      let curve = Curve(
        start: start, control: place(form.controlX, form.controlY),
        end: place(form.tipX, form.tipY))
      let twigs = (0..<Twig.perBranch).compactMap { place in
        Twig(branch: branch, place: place).map { Self.place($0, on: curve, cell: cell) }
      }
      return Limb(branch: branch, curve: curve, width: width * form.width, twigs: twigs)
    }
  }

  /// A branch's position in the fan, 0 at the lower left to 7 at the lower right.
  ///
  /// The overview has the branches around a point, 45° apart. A tree has a root, so the circle is
  /// opened below and pressed into a fan; the order around the trunk stays.
  static func position(of branch: Int) -> Int {
    ((Overview.degrees(branch: branch) - 135 + 360) % 360) / 45
  }

  /// The branch at a position of the fan.
  static func branch(at position: Int) -> Int { (position + 3) % Twig.branches }

  /// A limb in units of the tree: x from -1 to 1, y from the ground to 1.
  private struct Form {
    /// Where on the trunk it begins, 0 to 1.
    let leaves: Double
    let controlX: Double
    let controlY: Double
    let tipX: Double
    let tipY: Double
    /// Relative to the trunk's.
    let width: Double
  }

  /// From the lower left to the lower right. Uneven, as trees are.
  private static let forms = [
    Form(leaves: 0.58, controlX: -0.42, controlY: 0.42, tipX: -0.86, tipY: 0.31, width: 0.40),
    Form(leaves: 0.74, controlX: -0.40, controlY: 0.56, tipX: -0.92, tipY: 0.55, width: 0.46),
    Form(leaves: 0.90, controlX: -0.24, controlY: 0.64, tipX: -0.70, tipY: 0.80, width: 0.50),
    Form(leaves: 0.97, controlX: -0.05, controlY: 0.68, tipX: -0.25, tipY: 0.94, width: 0.56),
    Form(leaves: 0.97, controlX: 0.12, controlY: 0.66, tipX: 0.26, tipY: 0.95, width: 0.56),
    Form(leaves: 0.86, controlX: 0.30, controlY: 0.62, tipX: 0.71, tipY: 0.78, width: 0.50),
    Form(leaves: 0.68, controlX: 0.42, controlY: 0.55, tipX: 0.93, tipY: 0.51, width: 0.46),
    Form(leaves: 0.52, controlX: 0.44, controlY: 0.37, tipX: 0.82, tipY: 0.27, width: 0.40),
  ]

  /// Where on a limb the twigs are. Denser outwards, where the limbs are farther apart.
  private static let places = [0.32, 0.45, 0.56, 0.66, 0.75, 0.84, 0.92, 1.0]

  private static func place(_ twig: Twig, on limb: Curve, cell: Double) -> TwigPlace {
    var grain = Grain(of: twig)
    let t = places[twig.place]
    let start = limb.point(t)
    let along = limb.direction(t)
    let isTip = twig.place == Twig.perBranch - 1
    let side = (twig.place + twig.branch) % 2 == 0 ? 1.0 : -1.0
    // Tangents of half of 40° to 64°.
    let turn = isTip ? (grain.next() - 0.5) * 0.3 : side * (0.36 + 0.26 * grain.next())
    let light = Point(x: 0, y: -0.22)
    let direction = (along.turned(halfTangent: turn) + light).unit
    let length = cell * (0.74 + 0.34 * grain.next()) * (isTip ? 0.8 : 1)
    let end = start + direction * length
    let bend = (along * 0.55 + direction * 0.45).unit
    return TwigPlace(
      twig: twig, curve: Curve(start: start, control: start + bend * (length * 0.5), end: end))
  }
}
