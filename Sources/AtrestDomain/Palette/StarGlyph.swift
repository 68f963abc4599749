// SPDX-License-Identifier: Apache-2.0
// The form of a star: four strokes through one centre, and a glow.

/// A star, at the size at which it stands over the timer's tree; in a forest it is scaled.
public enum StarGlyph {
  /// A stroke with round ends through the centre.
  public struct Stroke: Hashable, Sendable {
    /// Points across.
    public let width: Double
    /// Points from end to end.
    public let length: Double
    /// Degrees from upright.
    public let degrees: Double
  }

  /// An upright cross, and a smaller one between.
  public static let strokes = [
    Stroke(width: 2, length: 18, degrees: 0), Stroke(width: 2, length: 18, degrees: 90),
    Stroke(width: 1.5, length: 14, degrees: 45), Stroke(width: 1.5, length: 14, degrees: 135),
  ]
  /// Points of the square that it fills over the timer's tree.
  public static let size = 18.0
  /// Points of the square that it fills in a forest.
  public static let forestSize = 10.0
  /// The radius of the glow, in points.
  public static let glowRadius = 8.0
  /// How much of `Palette.starLight` the glow has.
  public static let glowOpacity = 0.6
}
