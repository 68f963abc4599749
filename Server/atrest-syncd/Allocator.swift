// SPDX-License-Identifier: Apache-2.0
// Configures glibc's allocator to limit fragmentation.

import CAtrestMalloc
import Foundation

enum Allocator {
  /// Limits malloc to one arena per processor. glibc creates eight per processor. Memory that one
  /// thread frees in another's arena is unavailable to the rest. Responses of 240 KiB that are read
  /// on one thread and sent on another would fragment all arenas.
  static func sharesArenas() {
    _ = mallopt(M_ARENA_MAX, Int32(clamping: ProcessInfo.processInfo.activeProcessorCount))
  }
}
