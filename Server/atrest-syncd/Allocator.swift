// SPDX-License-Identifier: Apache-2.0
// Configures glibc's allocator to limit fragmentation, and makes it give memory back.

import CAtrestMalloc
import Foundation

enum Allocator {
  /// Limits malloc to one arena per processor. glibc creates eight per processor. Memory that one
  /// thread frees in another's arena is unavailable to the rest. Responses of 240 KiB that are read
  /// on one thread and sent on another would fragment all arenas.
  static func sharesArenas() {
    _ = mallopt(M_ARENA_MAX, Int32(clamping: ProcessInfo.processInfo.activeProcessorCount))
  }

  /// Free memory worth giving back, in bytes. Below it the page faults would cost more.
  private static let spareBytes = 16 * 1024 * 1024

  /// Gives free memory back to the system, every 10 s, until the task is cancelled. By itself glibc
  /// gives back only the top of each arena, so one long-lived allocation there would keep what a
  /// flood of large responses had used.
  static func trimAgainAndAgain() async {
    while (try? await Task.sleep(for: .seconds(10))) != nil {
      if mallinfo2().fordblks >= spareBytes { _ = malloc_trim(0) }
    }
  }
}
