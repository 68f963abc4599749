// SPDX-License-Identifier: Apache-2.0
// The outlines of trees, each read once in a process: a timer draws the same one every second.

import AtrestDomain
import Synchronization

/// Outlines that have been read.
enum Silhouette {
  private static let known = Mutex<[TreeSilhouette: SilhouettePath]>([:])

  /// The outline of a form.
  ///
  /// - Complexity: About a millisecond the first time.
  static func path(_ form: TreeSilhouette) -> SilhouettePath {
    if let path = known.withLock({ $0[form] }) { return path }
    let path = form.path
    known.withLock { $0[form] = path }
    return path
  }
}
