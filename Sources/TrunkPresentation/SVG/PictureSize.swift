// SPDX-License-Identifier: Apache-2.0
// The sizes that pictures can have.

/// The sides of a picture, in points.
public enum PictureSize {
  /// The valid lengths of a side: below, no word is readable.
  public static let sides = 160.0...10_000.0

  /// A length within `sides`; the least one for what is no number.
  static func clamped(_ side: Double) -> Double {
    side.isNaN ? sides.lowerBound : min(max(side, sides.lowerBound), sides.upperBound)
  }
}
