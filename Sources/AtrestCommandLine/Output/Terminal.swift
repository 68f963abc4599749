// SPDX-License-Identifier: Apache-2.0
// Writes to standard output and error, and decides on styling.

import AtrestDomain
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output and standard error.
public enum Terminal {
  /// Whether people watch standard error, so that progress makes sense.
  public static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether standard output is a terminal.
  public static var isRead: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The columns of the terminal on standard output; 80 if unknown.
  public static var columns: Int { TerminalWidth.columns ?? 80 }

  /// The columns of the terminal on standard output; nil if it is none: programs get whole lines.
  public static var readColumns: Int? { isRead ? columns : nil }

  /// The style of standard output.
  public static var style: Style {
    let environment = ProcessInfo.processInfo.environment
    guard StandardStream.isStyled(isTerminal: isRead, environment: environment) else {
      return .plain
    }
    return Style(
      isOn: true, colours: Colours(environment: environment),
      backdrop: Backdrop(environment: environment))
  }

  /// The style of standard output for what has colours: asks the terminal for its background, once.
  public static var colourStyle: Style {
    let style = style
    guard style.colours != .none, style.backdrop == .unknown, let answer = askedBackground else {
      return style
    }
    return Style(isOn: true, colours: style.colours, backdrop: .known(answer))
  }

  private static let askedBackground = BackgroundQuestion.ask()

  /// Writes text and a newline to standard output. On failure it exits: the command took effect,
  /// but a lost answer must not look like success. EPIPE exits with 0, because a reader such as
  /// `head` needs no more.
  public static func say(_ text: String) {
    answered(StandardStream.write(text + "\n", to: STDOUT_FILENO)) { reason in
      Language.text(
        "The answer could not be written (\(reason)). What was to be changed is changed; look again where there is room.",
        de:
          "Die Antwort konnte nicht geschrieben werden (\(reason)). Was zu ändern war, ist geändert; sieh dort nach, wo Platz ist."
      )
    }
  }

  /// - Parameters:
  ///   - problem: `errno`; 0 on success.
  ///   - words: What to say, given the system's reason.
  private static func answered(_ problem: Int32, _ words: (String) -> String) {
    guard problem != 0 else { return }
    if problem != EPIPE { writeError(words(String(cString: strerror(problem)))) }
    exit(problem == EPIPE ? 0 : ExitStatus.inputOutput.rawValue)
  }

  /// Writes bytes to standard output: a document that is all that was asked for. Exits like `say`.
  public static func write(_ bytes: [UInt8]) {
    answered(StandardStream.write(bytes, to: STDOUT_FILENO)) { reason in
      "Standard output could not be written (\(reason)), so what is there is not whole. Choose another place."
    }
  }

  /// Whether a person can be asked: standard input and error are terminals.
  public static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks a yes-or-no question that defaults to no. Yes is read in English and in German. No
  /// without a terminal.
  public static func asks(_ question: String) -> Bool {
    guard canAsk else { return false }
    let choice = Language.text("[y/N]", de: "[j/N]")
    _ = StandardStream.write("\(question) \(choice) ", to: STDERR_FILENO)
    return readLine().map(Keyboard.isYes) ?? false
  }

  /// Writes text and a newline to standard error.
  public static func writeError(_ text: String) {
    _ = StandardStream.write(text + "\n", to: STDERR_FILENO)
  }

  /// Writes a question to standard error. The answer is typed on the same line.
  public static func ask(_ text: String) {
    _ = StandardStream.write(text + " ", to: STDERR_FILENO)
  }

  /// Replaces or clears the progress line. No-op unless standard error is a terminal.
  public static func progress(_ text: String) {
    if showsProgress { _ = StandardStream.write("\r\u{1B}[K" + text, to: STDERR_FILENO) }
  }

  /// Whether a terminal can show braille, stars and rings: its locale is UTF-8 or names no charset,
  /// and it is not the Linux console, whose font lacks them.
  public static func isUnicode(environment: [String: String]) -> Bool {
    guard environment["TERM"] != "linux" else { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    guard let charset = locale?.split(separator: ".").dropFirst().first else {
      return locale != "C" && locale != "POSIX"
    }
    return charset.lowercased().hasPrefix("utf")
  }
}
