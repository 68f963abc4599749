// SPDX-License-Identifier: Apache-2.0
// Where words go, and whether they may be coloured there.

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

  /// Whether people read standard output, rather than a program.
  static var isRead: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Columns of the terminal that people read standard output on; 80 where it does not say.
  static var columns: Int { TerminalWidth.columns ?? 80 }

  /// The style of standard output.
  static var style: Style {
    let environment = ProcessInfo.processInfo.environment
    guard StandardStream.isStyled(isTerminal: isRead, environment: environment) else {
      return .plain
    }
    return Style(isOn: true, colours: Colours(environment: environment))
  }

  /// Writes text and a newline to standard output, or ends the program: what was asked for is done,
  /// but an answer that nobody got must not look like success. A reader that went away, as `head`
  /// does, wants no more.
  static func say(_ text: String) {
    answered(StandardStream.write(text + "\n", to: STDOUT_FILENO))
  }

  /// - Parameter problem: The system's error number; 0 if all is well.
  private static func answered(_ problem: Int32) {
    guard problem != 0 else { return }
    if problem != EPIPE {
      writeError(
        "The answer could not be written (\(String(cString: strerror(problem)))). What was asked for is done; look "
          + "again where there is room.")
    }
    exit(problem == EPIPE ? 0 : ExitStatus.inputOutput.rawValue)
  }

  /// Writes bytes to standard output, or ends the program, as `say` does.
  static func write(_ bytes: [UInt8]) {
    answered(StandardStream.write(bytes, to: STDOUT_FILENO))
  }

  /// Whether there is somebody who can be asked.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks a question that only a clear yes answers with yes. Nobody there means no.
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

  /// Writes a question to standard error. The answer is typed behind it.
  static func ask(_ text: String) {
    _ = StandardStream.write(text + " ", to: STDERR_FILENO)
  }

  /// Replaces the progress line, or takes it away. Only where people watch.
  static func progress(_ text: String) {
    if showsProgress { _ = StandardStream.write("\r\u{1B}[K" + text, to: STDERR_FILENO) }
  }
}

/// Emphasis, or plain text where it is off.
struct Style: Sendable {
  /// Whether escape sequences are written.
  let isOn: Bool
  /// Which colours there are, where it is on.
  var colours = Colours.none

  /// Without emphasis.
  static let plain = Style(isOn: false)

  /// What matters most on a page.
  func strong(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// What may be overlooked.
  func quiet(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

extension Table {
  /// The lines, the header quiet.
  func text(_ style: Style) -> String { text(heading: style.quiet) }
}
