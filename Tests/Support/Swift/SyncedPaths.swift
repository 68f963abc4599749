// SPDX-License-Identifier: Apache-2.0
// Shows a test what was synced to the disk, so that a forgotten fsync is a failed test.

import CAtrestSyncProbe
import Foundation

/// What this process synced below a folder.
public enum SyncedPaths {
  /// The paths of successful `fsync`s, relative to the folder, in order; "." for the folder itself.
  /// A file that was renamed since has the name that it had then.
  public static func under(_ folder: URL) -> [String] {
    let root = folder.resolvingSymlinksInPath().path
    var found: [String] = []
    var buffer = [CChar](repeating: 0, count: 4096)
    while true {
      let length = atrest_synced_path(root, found.count, &buffer, buffer.count)
      guard length > 0 else { return found }
      let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      found.append(path == root ? "." : String(path.dropFirst(root.count + 1)))
    }
  }
}
