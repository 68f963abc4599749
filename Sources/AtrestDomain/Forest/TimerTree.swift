// SPDX-License-Identifier: Apache-2.0
// The tree on the timer: whether there is one, where it stands, and when it has a star.

import Foundation

/// The tree behind the timer's words.
public struct TimerTree: Hashable, Sendable {
  /// How it looks.
  public let appearance: TreeAppearance
  /// Whether a star stands over it: once a fast has reached its target and is over.
  public let hasStar: Bool

  /// The tree of the timer; nil where there is none: between fasts, after one was let go, after one
  /// that leaves no tree, and where the entitlement has no trees.
  ///
  /// A fast that ended early is shown as it will stand in the forest: grey, without a star.
  public init?(status: FastingMachine.Status, at now: Date, entitlement: Entitlement) {
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
    /// The centre of the tree, across.
    public let treeX: Double
    /// The centre of the tree, down.
    public let treeY: Double
    /// The centre of the star, across.
    public let starX: Double
    /// The centre of the star, down.
    public let starY: Double

    /// 72 % of the width, its top edge 28 % down; the star at the top right of the tree's square.
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
