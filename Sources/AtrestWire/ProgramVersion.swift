// SPDX-License-Identifier: Apache-2.0
// The version number. Its only definition.

/// The version of this package's programs and libraries.
public enum ProgramVersion {
  /// The version as displayed.
  public static let text = "0.1.0"
}
