// SPDX-License-Identifier: Apache-2.0
// The package's version, defined only here.

/// The version of the programs and libraries of this package.
public enum ProgramVersion {
  /// The semantic version.
  public static let text = "0.1.0"
}
