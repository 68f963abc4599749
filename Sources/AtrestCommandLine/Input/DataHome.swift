// SPDX-License-Identifier: Apache-2.0
// The default folder for a program's data.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The user's folder for the data of programs, by the XDG Base Directory Specification.
public enum DataHome {
  /// A folder in `$XDG_DATA_HOME`, else in `~/.local/share`. Paths that are empty or relative count
  /// as absent, as the specification requires: the working directory differs from one start to the
  /// next, and so would the data.
  ///
  /// - Parameters:
  ///   - name: The folder's.
  ///   - home: The home folder if the environment has none.
  /// - Returns: Nil if this user has no home folder.
  public static func folder(
    _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    home: () -> String? = homeOfUser
  ) -> String? {
    func path(_ variable: String) -> String? {
      environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    if let data = path("XDG_DATA_HOME") { return "\(data)/\(name)" }
    guard let home = path("HOME") ?? home(), home.hasPrefix("/") else { return nil }
    return "\(home == "/" ? "" : home)/.local/share/\(name)"
  }

  /// The home folder in the system's list of users; nil if the user is not in it.
  public static func homeOfUser() -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 64 * 1024)
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let home = entry.pw_dir
    else { return nil }
    return String(cString: home)
  }
}
