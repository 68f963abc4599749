// SPDX-License-Identifier: Apache-2.0
// Writes to standard output and error, and decides on styling.

import AtrestCommandLine
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output and standard error.
enum Terminal {
  /// Whether people watch standard error, so that progress makes sense.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether standard output is a terminal.
  static var isRead: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The columns of the terminal on standard output; 80 if unknown.
  static var columns: Int { TerminalWidth.columns ?? 80 }

  /// The style of standard output.
  static var style: Style {
    let environment = ProcessInfo.processInfo.environment
    guard StandardStream.isStyled(isTerminal: isRead, environment: environment) else {
      return .plain
    }
    return Style(isOn: true, colours: Colours(environment: environment))
  }

  /// Writes text and a newline to standard output. On failure it exits: the command took effect,
  /// but a lost answer must not look like success. EPIPE exits with 0, because a reader such as
  /// `head` needs no more.
  static func say(_ text: String) {
    answered(StandardStream.write(text + "\n", to: STDOUT_FILENO))
  }

  /// - Parameter problem: `errno`; 0 on success.
  private static func answered(_ problem: Int32) {
    guard problem != 0 else { return }
    if problem != EPIPE {
      writeError(
        "The answer could not be written (\(String(cString: strerror(problem)))). What was asked for is done; look "
          + "again where there is room.")
    }
    exit(problem == EPIPE ? 0 : ExitStatus.inputOutput.rawValue)
  }

  /// Writes bytes to standard output, or exits like `say`.
  static func write(_ bytes: [UInt8]) {
    answered(StandardStream.write(bytes, to: STDOUT_FILENO))
  }

  /// Whether a person can be asked: standard input and error are terminals.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks a yes-or-no question that defaults to no. No without a terminal.
  static func asks(_ question: String) -> Bool {
    guard canAsk else { return false }
    _ = StandardStream.write(question + " [y/N] ", to: STDERR_FILENO)
    let answer = readLine()?.split(whereSeparator: \.isWhitespace).joined().lowercased()
    return answer == "y" || answer == "yes"
  }

  /// Writes text and a newline to standard error.
  static func writeError(_ text: String) {
    _ = StandardStream.write(text + "\n", to: STDERR_FILENO)
  }

  /// Writes a question to standard error. The answer is typed on the same line.
  static func ask(_ text: String) {
    _ = StandardStream.write(text + " ", to: STDERR_FILENO)
  }

  /// Replaces or clears the progress line. No-op unless standard error is a terminal.
  static func progress(_ text: String) {
    if showsProgress { _ = StandardStream.write("\r\u{1B}[K" + text, to: STDERR_FILENO) }
  }
}

/// Emphasis with escape sequences, or plain text.
struct Style: Sendable {
  /// Whether escape sequences are written.
  let isOn: Bool
  /// The colour support if styling is on.
  var colours = Colours.none

  /// No styling.
  static let plain = Style(isOn: false)

  /// Bold text.
  func strong(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// Dim text.
  func quiet(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

extension Table {
  /// The lines, the header quiet.
  func text(_ style: Style) -> String { text(heading: style.quiet) }
}
