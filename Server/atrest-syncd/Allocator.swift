// SPDX-License-Identifier: Apache-2.0
// How much memory lies between what is used.

import CAtrestMalloc
import Foundation

/// The C library's allocator.
enum Allocator {
  /// Has threads share arenas, as many as there are processors. glibc makes eight for each; what
  /// one thread frees of another's arena is not there for the others, and answers of 240 KiB that
  /// are read on one thread and sent on another leave gaps in all of them.
  static func sharesArenas() {
    _ = mallopt(M_ARENA_MAX, Int32(clamping: ProcessInfo.processInfo.activeProcessorCount))
  }
}
