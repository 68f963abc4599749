// SPDX-License-Identifier: Apache-2.0
// The appearance of a tree: form, colour and opacity.

/// A tree to draw: fill the silhouette with one colour at one opacity.
public struct TreeAppearance: Hashable, Sendable {
  /// The silhouette, 0 to 7. See `TreeSilhouette`.
  public let variant: Int
  /// The fill colour.
  public let fill: RGB
  /// The opacity, 0.05 to 1, before the layer's.
  public let opacity: Double

  /// The fixed progress of an incomplete tree.
  public static let incompleteProgress = 0.30

  /// Creates an appearance.
  ///
  /// The opacity is `0.05 + 0.95 × progress`. The colour goes from grey to the tone's light colour
  /// with the progress; an incomplete tree stays grey.
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

  /// Creates the appearance of a tree in a state.
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
