// SPDX-License-Identifier: Apache-2.0
// The eight forms of trees, as the pictures use them.

import AtrestDomain

/// A form.
struct Silhouette {
  /// The side of the square in which forms are drawn.
  static let side = 1024.0

  /// The outline, as an SVG path.
  let path: String

  /// The number of a form, for any number.
  static func index(_ variant: Int) -> Int {
    Int(variant.magnitude % UInt(TreeCharacter.variants))
  }

  /// The form of any number.
  static func of(_ variant: Int) -> Silhouette {
    Silhouette(path: TreeSilhouette.paths[index(variant)])
  }
}
