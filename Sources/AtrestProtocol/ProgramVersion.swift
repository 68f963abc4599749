// SPDX-License-Identifier: Apache-2.0
// Which version this is: said here, and nowhere else.

/// The version of the programs and libraries of this package.
public enum ProgramVersion {
  /// As people see it.
  public static let text = "0.1.0"
}
