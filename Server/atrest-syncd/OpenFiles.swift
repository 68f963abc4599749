// SPDX-License-Identifier: Apache-2.0
// How many files, connections included, the process may have open.

import Glibc

/// The process's limit of open files.
enum OpenFiles {
  /// Raises the limit as far as the system allows without privileges: a shell's or a container's
  /// soft limit of 1,024 is a default for programs that use select(2).
  ///
  /// - Returns: The limit in force.
  static func raiseLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }
}
