// SPDX-License-Identifier: Apache-2.0
// Selects the replica's directory.

import Foundation

/// The replica's location: the option, else a variable such as `ATREST_REPLICA`, else
/// `$XDG_DATA_HOME/atrest`, else `~/.local/share/atrest`, with the folder's name.
package enum ReplicaDirectory {
  /// The directory. Empty values count as absent. A relative `XDG_DATA_HOME` is ignored, as the XDG
  /// Base Directory Specification requires.
  package static func resolve(
    option: String?, environment: [String: String], variable: String, folder: String
  ) -> URL {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let given = option.flatMap({ $0.isEmpty ? nil : $0 }) ?? value(variable) {
      return URL(fileURLWithPath: given, isDirectory: true)
    }
    if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") {
      return URL(fileURLWithPath: data, isDirectory: true).appendingPathComponent(folder)
    }
    let home =
      value("HOME").map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.homeDirectoryForCurrentUser
    return home.appendingPathComponent(".local/share/\(folder)", isDirectory: true)
  }
}
