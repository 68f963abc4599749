// SPDX-License-Identifier: Apache-2.0
// The arguments of the process, also where Swift does not find them.

import Foundation

/// The arguments of the process.
public enum ProgramArguments {
  /// Those after the program's name.
  ///
  /// Swift looks for them before the environment on the stack. A preloaded library that has changed
  /// the environment by then has moved it, and `CommandLine` is empty: a command would run as if
  /// nothing had been typed. The kernel still knows them.
  ///
  /// - Throws: `CommandFailure` if they cannot be found.
  public static func typed() throws(CommandFailure) -> [String] {
    try typed(CommandLine.arguments) {
      try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/cmdline"))
    }
  }

  static func typed(
    _ known: [String], kernel: () -> Data?
  ) throws(CommandFailure) -> [String] {
    guard known.isEmpty else { return Array(known.dropFirst()) }
    guard let bytes = kernel(), !bytes.isEmpty else {
      throw CommandFailure(
        "The arguments of this program cannot be found. A preloaded library hides them: start it "
          + "without LD_PRELOAD.", .software)
    }
    // Each ends with NUL; one may be empty.
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
