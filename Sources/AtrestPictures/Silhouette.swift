// SPDX-License-Identifier: Apache-2.0
// The eight forms of trees, as the pictures use them.

import AtrestDomain

/// A form.
struct Silhouette {
  /// The outline, as an SVG path.
  let path: String

  /// The number of a form, for any number.
  static func index(_ variant: Int) -> Int {
    TreeSilhouette(variant: variant).rawValue
  }

  /// The form of any number.
  static func of(_ variant: Int) -> Silhouette {
    Silhouette(path: TreeSilhouette(variant: variant).pathData)
  }
}
