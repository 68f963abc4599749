// SPDX-License-Identifier: Apache-2.0
// How a tree looks: its form, its colour, and how much of it can be seen.

/// A tree to draw: fill the silhouette with one colour at one opacity.
public struct TreeAppearance: Hashable, Sendable {
  /// Which silhouette: 0 to 7. See `TreeSilhouette`.
  public let variant: Int
  /// The colour.
  public let fill: RGB
  /// From 0.05, barely there, to 1.
  public let opacity: Double

  /// What an incomplete tree keeps showing, of 1.
  public static let incompleteProgress = 0.30

  /// A tree.
  ///
  /// Its opacity is `0.05 + 0.95 × progress`. Its colour goes from grey to the light one of its
  /// tone with the progress; an incomplete tree stays grey.
  /// - Parameter progress: 0 to 1; clamped.
  public init(character: TreeCharacter, progress: Double, isIncomplete: Bool) {
    let progress = min(max(progress, 0), 1)
    variant = character.variant
    opacity = 0.05 + progress * 0.95
    fill =
      isIncomplete
      ? Palette.treeGrey
      : RGB.interpolate(
        from: Palette.treeGrey, to: Palette.earthTone(character.tone).light, t: progress)
  }

  /// A tree in this state.
  public init(character: TreeCharacter, state: TreeState) {
    switch state {
    case .established: self.init(character: character, progress: 1, isIncomplete: false)
    case .incomplete:
      self.init(character: character, progress: Self.incompleteProgress, isIncomplete: true)
    case .materialising(let progress):
      self.init(character: character, progress: progress, isIncomplete: false)
    }
  }
}
