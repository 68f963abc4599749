// SPDX-License-Identifier: Apache-2.0
// Reads typed answers to questions.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard input as a terminal.
public enum Keyboard {
  /// Whether standard input is a terminal.
  public static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

  /// Discards input typed before the question.
  public static func forget() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// The next line without its terminator; the last line may have none.
  ///
  /// - Parameter limit: The timeout in milliseconds; nil for none.
  /// - Returns: nil at the end of input, on timeout, or if the line exceeds 4,096 bytes.
  public static func line(within limit: Int32? = nil) -> String? {
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

  /// Whether an answer means yes to a question that defaults to no.
  public static func isYes(_ answer: String) -> Bool {
    ["y", "yes", "j", "ja"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
  }
}
