// SPDX-License-Identifier: Apache-2.0
// The eight tree forms.

/// A tree form: one compound path in a square of 1024, its foot at y = 1006 in the middle.
///
/// All eight were drawn for this project. Fill the path with one colour by the non-zero rule, SVG's
/// default; the holes are sky.
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

  /// The side of the square of every path.
  public static let side = 1024.0

  /// The form for any number, such as `TreeCharacter.variant`; taken modulo the number of forms.
  public init(variant: Int) {
    self = Self.allCases[Int(variant.magnitude % UInt(Self.allCases.count))]
  }

  /// The SVG path data with `M`, `l`, `c` and `z` only, for the `d` of a `path` in a `viewBox="0 0
  /// 1024 1024"`. 4 to 24 KB; define it once and reference it.
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

  /// The parsed path, for drawing without SVG.
  ///
  /// - Complexity: O(bytes), about a millisecond: keep the result.
  public var path: SilhouettePath {
    SilhouettePath(data: pathData) ?? .fallback
  }
}
