// SPDX-License-Identifier: Apache-2.0
// Where trees of a picture stand, how large and how clear: nearer the lower they stand.

import AtrestDomain

/// A tree as a picture shows it.
struct StagedTree {
  let tree: PlacedTree
  /// The centre, in points from the left and from the top.
  let x: Double
  let y: Double
  /// The side of its square in points.
  let size: Double
  /// 0.05 to 1.
  let opacity: Double
  /// Whether it is drawn the other way round, so that trees of one form are not copies.
  let isMirrored: Bool

  var foot: Foot { Foot(centreX: x, centreY: y, size: size) }
  var top: Double { y - size / 2 }
}

/// The trees of a picture and its height.
struct ForestStage {
  /// Far trees first.
  let trees: [StagedTree]
  /// The height in points, without the emptiness below the last tree.
  let height: Double
  /// The size of a tree's parts, relative to a phone's.
  let scale: Double

  /// The width for which the layout's sizes are made, in points.
  private static let phoneWidth = 390.0
  /// The most of a screen's height that a tree takes.
  private static let tallest = 0.3
  /// The fraction of a single screen's ground that squares of trees may cover.
  private static let crowding = 0.8
  /// The heights of the trees' centres in a single screen.
  private static let screenBand = 0.34...0.86
  /// The ground below the last tree, in screens.
  private static let foreground = 0.11
  /// How much larger or smaller than its neighbours a tree may be.
  private static let variety = 0.12
  /// Gives a tree's look other random numbers than its place.
  private static let salt: UInt64 = 0x6d69_7272_6f72

  init(_ layout: ForestLayout, isOneScreen: Bool) {
    let screen = layout.canvas.screenHeight
    let near = ForestDepth.foreground.treeSize
    let widened = (layout.width / Self.phoneWidth).squareRoot()
    var scale = min(max(widened, 0.5), 2.6, max(0.05, screen * Self.tallest / near))
    if isOneScreen {
      let ground = layout.width * screen * (Self.screenBand.upperBound - Self.screenBand.lowerBound)
      let share = Self.crowding * ground / Double(max(1, layout.trees.count))
      scale = min(scale, max(0.05, share.squareRoot() / (near * 0.8)))
    }
    self.scale = scale
    trees = layout.trees.map { Self.stage($0, layout, scale: scale, isOneScreen: isOneScreen) }
      .sorted { $0.foot.y == $1.foot.y ? $0.tree.id < $1.tree.id : $0.foot.y < $1.foot.y }
    let last = trees.last.map { $0.foot.y + screen * Self.foreground }
    height = isOneScreen ? screen : min(layout.height, max(screen, last ?? .infinity))
  }

  private static func stage(
    _ tree: PlacedTree, _ layout: ForestLayout, scale: Double, isOneScreen: Bool
  ) -> StagedTree {
    let (far, near) = (ForestDepth.background, ForestDepth.foreground)
    let (top, bottom) = (far.band.lowerBound, near.band.upperBound)
    let nearness = min(max((tree.y / layout.height - top) / (bottom - top), 0), 1)
    var grain = Grain(StableHash.hash(of: tree.id) ^ salt)
    let isMirrored = grain.next() < 0.5
    let size =
      (far.treeSize + (near.treeSize - far.treeSize) * nearness) * scale
      * (1 + variety * (2 * grain.next() - 1))
    let room = max(0, layout.width - size)
    let y =
      isOneScreen
      ? layout.canvas.screenHeight
        * (screenBand.lowerBound + nearness * (screenBand.upperBound - screenBand.lowerBound))
      : tree.y
    return StagedTree(
      tree: tree, x: min(max(tree.x, size / 2), size / 2 + room), y: y, size: size,
      opacity: tree.appearance.opacity * (far.opacity + (near.opacity - far.opacity) * nearness),
      isMirrored: isMirrored)
  }
}
