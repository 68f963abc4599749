// SPDX-License-Identifier: Apache-2.0
// Whether other users can change what a program relies on.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells folders and files that only this user and the superuser can change from others.
package enum FileTrust {
  /// Why other users can change what a path names, for brackets in a sentence. Nil if they cannot,
  /// or if there is nothing. Members of the owning group may be able to: a service's volume is
  /// often shared in that way.
  package static func objection(to path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return objection(owner: status.st_uid, mode: status.st_mode, to: geteuid())
  }

  /// The same of what is known of a file.
  package static func objection(owner: uid_t, mode: mode_t, to user: uid_t) -> String? {
    // The superuser looks after other users' folders.
    if user != 0, owner != user, owner != 0 { return "it belongs to another user" }
    return mode & 0o002 != 0 ? "every user may write to it" : nil
  }
}
