// SPDX-License-Identifier: Apache-2.0
// Asks a terminal for the colour of its background.

import AtrestDomain
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The question and its answer: OSC 11 of xterm's, followed by a question that every terminal
/// answers (DA1), so that one that does not know the former keeps nobody waiting.
public enum BackgroundQuestion {
  /// The longest wait for an answer, in milliseconds: a terminal far away, or one that answers
  /// nothing.
  static let patienceMilliseconds = 150
  /// The most bytes that an answer has.
  private static let limitBytes = 128

  /// Asks the terminal of this process. Nil if there is none or it does not say.
  ///
  /// Does not ask if somebody has typed already: what is typed belongs to whoever reads it next.
  public static func ask(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) -> RGB? {
    var before = termios()
    guard isatty(output) == 1, tcgetattr(input, &before) == 0, !hasInput(input, 0) else {
      return nil
    }
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(input, TCSANOW, &raw)
    defer { tcsetattr(input, TCSANOW, &before) }
    guard StandardStream.write("\u{1B}]11;?\u{1B}\\\u{1B}[c", to: output) == 0 else { return nil }
    var answer: [UInt8] = []
    let end = ContinuousClock.now.advanced(by: .milliseconds(patienceMilliseconds))
    while answer.count < limitBytes, !isComplete(answer) {
      let left = (end - .now) / .milliseconds(1)
      guard left > 0, hasInput(input, Int32(left.rounded(.up))) else { break }
      var byte: UInt8 = 0
      guard read(input, &byte, 1) == 1 else { break }
      answer.append(byte)
    }
    return colour(in: answer)
  }

  private static func hasInput(_ input: Int32, _ milliseconds: Int32) -> Bool {
    var source = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    return poll(&source, 1, milliseconds) > 0
  }

  /// Whether the answer to DA1 is there, which is the last: `ESC [ ? … c`.
  static func isComplete(_ answer: [UInt8]) -> Bool {
    guard let start = answer.lastIndex(of: UInt8(ascii: "[")) else { return false }
    return answer.last == UInt8(ascii: "c") && start > 0 && answer[start - 1] == 0x1B
  }

  /// The colour in an answer: `ESC ] 11 ; rgb:RRRR/GGGG/BBBB`, one to four digits each.
  static func colour(in answer: [UInt8]) -> RGB? {
    let text = String(decoding: answer, as: UTF8.self)
    guard let start = text.range(of: "]11;rgb:")?.upperBound else { return nil }
    let digits = text[start...].prefix { $0.isHexDigit || $0 == "/" }
    let parts = digits.split(separator: "/", omittingEmptySubsequences: false).map { part in
      (1...4).contains(part.count)
        ? UInt32(part, radix: 16).map { Double($0) / Double((1 << (4 * part.count)) - 1) } : nil
    }
    guard parts.count == 3, let red = parts[0], let green = parts[1], let blue = parts[2] else {
      return nil
    }
    return RGB(red: red, green: green, blue: blue)
  }
}
