// SPDX-License-Identifier: Apache-2.0
// Reads what a person types in answer to a question.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard input, where a person may sit.
enum Keyboard {
  /// Whether a person can answer.
  static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

  /// Forgets what was typed before it was asked for: an answer is given to a question.
  static func forget() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// The next line, without its end; the last one may have none.
  ///
  /// - Parameter limit: How long to wait for it, in milliseconds; nil: for ever.
  /// - Returns: nil at the end of the input, if nothing came in time, or if the line is longer than
  ///   4,096 bytes.
  static func line(within limit: Int32? = nil) -> String? {
    var line: [UInt8] = []
    while line.count <= 4096 {
      var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, limit ?? -1)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      var byte: UInt8 = 0
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else {
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// Whether an answer to a question whose default is no says yes.
  static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
  }
}
