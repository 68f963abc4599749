// SPDX-License-Identifier: Apache-2.0
// Keeps parsed tree outlines: the timer draws the same one every second.

import AtrestDomain

/// The parsed outlines. Each is parsed once, when it is first drawn: a lazy constant, which needs
/// no lock.
enum Silhouette {
  /// The outline of a form.
  ///
  /// - Complexity: About a millisecond the first time.
  static func path(_ form: TreeSilhouette) -> SilhouettePath {
    switch form {
    case .oak: oak
    case .spruce: spruce
    case .birch: birch
    case .willow: willow
    case .cypress: cypress
    case .maple: maple
    case .acacia: acacia
    case .cedar: cedar
    }
  }

  private static let oak = TreeSilhouette.oak.path
  private static let spruce = TreeSilhouette.spruce.path
  private static let birch = TreeSilhouette.birch.path
  private static let willow = TreeSilhouette.willow.path
  private static let cypress = TreeSilhouette.cypress.path
  private static let maple = TreeSilhouette.maple.path
  private static let acacia = TreeSilhouette.acacia.path
  private static let cedar = TreeSilhouette.cedar.path
}
