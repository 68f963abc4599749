// SPDX-License-Identifier: Apache-2.0
// Selects the replica's directory.

import AtrestCommandLine
import Foundation

/// The replica's location: the option, else a variable such as `ATREST_REPLICA`, else
/// `$XDG_DATA_HOME/atrest`, else `~/.local/share/atrest`, with the folder's name.
package enum ReplicaDirectory {
  /// The directory; nil if nothing names one and this user has no home folder. Empty values count
  /// as absent.
  package static func resolve(
    option: String?, environment: [String: String], variable: String, folder: String
  ) -> URL? {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let given = option.flatMap({ $0.isEmpty ? nil : $0 }) ?? value(variable) {
      return URL(fileURLWithPath: given, isDirectory: true)
    }
    return DataHome.folder(folder, environment: environment).map {
      URL(fileURLWithPath: $0, isDirectory: true)
    }
  }
}
