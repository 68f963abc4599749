// SPDX-License-Identifier: Apache-2.0
// Runs a program beside all the other tests of this process.

import Foundation

/// A program that has ended.
///
/// Not `Foundation.Process`: that reads beyond a buffer once this process has some 1,365 open
/// descriptors, which all tests together have.
public struct EndedProgram {
  /// Standard output.
  public let out: String
  /// Standard error.
  public let err: String
  /// The exit status; 128 and the signal's number if a signal ended it.
  public let code: Int32

  /// Runs a program to its end, with empty standard input and this process's environment.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked up in `PATH`.
  ///   - folder: The working directory; nil for this process's.
  /// - Throws: `POSIXError` if it cannot start.
  public init(_ program: String, _ arguments: [String], in folder: URL? = nil) throws {
    let files = try Folder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (descriptor, name) in [(Int32(1), "output"), (2, "errors")] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, files.path(name), O_WRONLY | O_CREAT, 0o600)
    }

    let moved = folder.map { ["env", "--chdir", $0.path] } ?? []
    let words = moved + [program] + arguments
    var vector = words.map { strdup($0) } + [nil]
    defer { for case let text? in vector { free(text) } }
    var id: pid_t = 0
    let failure = posix_spawnp(&id, words[0], &actions, nil, &vector, environ)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECHILD) }
    }
    out = try String(contentsOfFile: files.path("output"), encoding: .utf8)
    err = try String(contentsOfFile: files.path("errors"), encoding: .utf8)
    code = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
  }
}
