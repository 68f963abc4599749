// SPDX-License-Identifier: Apache-2.0
// Caches parsed tree outlines: the timer draws the same one every second.

import AtrestDomain
import Synchronization

/// The cache of parsed outlines.
enum Silhouette {
  private static let known = Mutex<[TreeSilhouette: SilhouettePath]>([:])

  /// The outline of a form. Thread-safe.
  ///
  /// - Complexity: About a millisecond the first time.
  static func path(_ form: TreeSilhouette) -> SilhouettePath {
    if let path = known.withLock({ $0[form] }) { return path }
    let path = form.path
    known.withLock { $0[form] = path }
    return path
  }
}
