// SPDX-License-Identifier: Apache-2.0
// The tree on the timer: whether it is shown, its position and its star.

import AtrestReplication

/// The tree behind the timer's text.
public struct TimerTree: Hashable, Sendable {
  /// Its form, colour and opacity.
  public let appearance: TreeAppearance
  /// Whether it has a star: once a fast that reached its target is over.
  public let hasStar: Bool

  /// The timer's tree; nil if there is none: between fasts, after an abandoned fast or one without
  /// a tree, and without the entitlement.
  ///
  /// A fast that ended early is shown as in the forest: grey, without a star.
  public init?(status: FastingMachine.Status, at now: WallTime, entitlement: Entitlement) {
    guard FeatureGate.timerTree.isOpen(for: entitlement) else { return nil }
    switch status {
    case .idle, .abandoned: return nil
    case .active(let session):
      let progress = MaterialisingProgress.value(of: status, at: now)
      appearance = TreeAppearance(
        character: TreeCharacter(id: session.id), state: .materialising(progress: progress))
      hasStar = false
    case .completed(let session):
      guard let state = TreeMapper.state(of: session) else { return nil }
      appearance = TreeAppearance(character: TreeCharacter(id: session.id), state: state)
      hasStar = state == .established
    }
  }

  /// Where the tree and its star stand on a screen, in points from the top left.
  public struct Layout: Hashable, Sendable {
    /// The tree's square: its side, and its centre.
    public let treeSize: Double
    /// The x of the tree's centre.
    public let treeX: Double
    /// The y of the tree's centre.
    public let treeY: Double
    /// The x of the star's centre.
    public let starX: Double
    /// The y of the star's centre.
    public let starY: Double

    /// Places the tree at 72 % of the width with its top edge 28 % down, and the star at the top
    /// right of its square.
    public init(screenWidth: Double, screenHeight: Double) {
      treeSize = screenWidth * 0.72
      let top = screenHeight * 0.28
      treeX = screenWidth / 2
      treeY = top + treeSize / 2
      starX = screenWidth / 2 + treeSize * 0.38
      starY = top + treeSize * 0.08
    }
  }
}
