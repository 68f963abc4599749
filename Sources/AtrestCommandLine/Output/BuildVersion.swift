// SPDX-License-Identifier: Apache-2.0
// What `--version` prints: the version, and the commit of a release build.

import AtrestWire
import CAtrestBuild

/// The version of the programs.
public enum BuildVersion {
  /// `0.1.0`, or `0.1.0 (commit 1a2b3c4d5e6f)` where the build knows it.
  public static let text: String = {
    let commit = String(cString: atrest_build_commit())
    return commit.isEmpty ? ProgramVersion.text : "\(ProgramVersion.text) (commit \(commit))"
  }()
}
