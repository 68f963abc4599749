// SPDX-License-Identifier: Apache-2.0
// The shape of a star: four strokes through one centre, and a glow.

/// A star at the timer's size; the forest scales it.
public enum StarGlyph {
  /// A stroke with round ends through the centre.
  public struct Stroke: Hashable, Sendable {
    /// The width in points.
    public let width: Double
    /// The length in points.
    public let length: Double
    /// The angle from vertical in degrees.
    public let degrees: Double
  }

  /// An upright cross and a smaller diagonal one.
  public static let strokes = [
    Stroke(width: 2, length: 18, degrees: 0), Stroke(width: 2, length: 18, degrees: 90),
    Stroke(width: 1.5, length: 14, degrees: 45), Stroke(width: 1.5, length: 14, degrees: 135),
  ]
  /// The side of the timer star's square in points.
  public static let size = 18.0
  /// The side of a forest star's square in points.
  public static let forestSize = 10.0
  /// The radius of the glow, in points.
  public static let glowRadius = 8.0
  /// The opacity of the glow in `Palette.starLight`.
  public static let glowOpacity = 0.6
}
