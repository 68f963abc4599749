// SPDX-License-Identifier: Apache-2.0
// The eight forms of a tree.

/// A form of a tree: one compound path in a square of 1024, its foot on y = 1006, in the middle.
///
/// All eight were drawn for this project. Fill the path with one colour, by the non-zero rule
/// (which is what SVG does unless told otherwise); its holes are sky.
public enum TreeSilhouette: Int, Hashable, Sendable, CaseIterable {
  /// A stout trunk that leans a little, and a wide crown.
  case oak
  /// Tiers of hanging boughs on a straight stem.
  case spruce
  /// A slender stem, and twigs that hang.
  case birch
  /// A dome, and curtains down from it.
  case willow
  /// A flame.
  case cypress
  /// Boughs that reach up, and a rounded crown.
  case maple
  /// Three stems, and a flat roof.
  case acacia
  /// Level plates, one above the other.
  case cedar

  /// The side of the square that every path is drawn in.
  public static let side = 1024.0

  /// The form of a number, `TreeCharacter.variant`; any number has one.
  public init(variant: Int) {
    self = Self.allCases[Int(variant.magnitude % UInt(Self.allCases.count))]
  }

  /// The path as SVG path data, `M`, `l`, `c` and `z` only: for the `d` of a `path` in a
  /// `viewBox="0 0 1024 1024"`. 4 to 24 KB; define it once and use it often.
  public var pathData: String {
    switch self {
    case .oak: Self.oakPath
    case .spruce: Self.sprucePath
    case .birch: Self.birchPath
    case .willow: Self.willowPath
    case .cypress: Self.cypressPath
    case .maple: Self.maplePath
    case .acacia: Self.acaciaPath
    case .cedar: Self.cedarPath
    }
  }

  /// The path, read; to draw it where there is no SVG.
  ///
  /// - Complexity: O(bytes), about a millisecond: keep the result.
  public var path: SilhouettePath {
    SilhouettePath(data: pathData) ?? .fallback
  }
}
