// SPDX-License-Identifier: Apache-2.0
// Takes over a terminal for a live view and restores it exactly, however the view ends.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The pipe to which signal handlers write the signal number; -1 if there is none.
///
/// Set before any handler is installed; handlers only read it.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// A terminal taken over by a live view: alternate screen, no echo, unbuffered keys. At most one at
/// a time.
public final class TerminalSession {
  /// Why a wait ended.
  public enum Wake: Hashable, Sendable {
    /// Key bytes arrived.
    case bytes([UInt8])
    /// A signal arrived.
    case signal(Int32)
    /// The timeout passed.
    case nothing
    /// The terminal hung up.
    case gone
  }

  private static let signals = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH,
  ]

  private let input: Int32
  private let output: Int32
  private let hasMouse: Bool
  /// Begins each line: the colours of a screen that is painted.
  private let ground: String
  private var before = termios()
  private var isEntered = false
  /// The lines on the screen; none if they are not known.
  private var drawn: [String] = []
  private var pipe: (read: Int32, write: Int32) = (-1, -1)

  /// A session that takes the terminal over with `begin()`.
  ///
  /// - Parameters:
  ///   - input: The terminal to read keys from.
  ///   - output: The terminal to draw on.
  ///   - hasMouse: Whether the view reads the mouse and pastes. The terminal's own selection of
  ///     text then needs Shift.
  ///   - ground: See `Style.ground`.
  public init(
    input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, hasMouse: Bool = false,
    ground: String = ""
  ) {
    self.ground = ground
    self.input = input
    self.output = output
    self.hasMouse = hasMouse
  }

  /// Whether this process has a terminal to read keys from and to draw on.
  public static var isPossible: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
      && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Takes the terminal over.
  ///
  /// - Returns: Whether both descriptors are usable terminals.
  public func begin() -> Bool {
    guard tcgetattr(input, &before) == 0 else { return false }
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      guard Darwin.pipe(&ends) == 0 else { return false }
    #elseif canImport(Musl)
      guard Musl.pipe(&ends) == 0 else { return false }
    #else
      guard Glibc.pipe(&ends) == 0 else { return false }
    #endif
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    pipe = (ends[0], ends[1])
    signalPipe = pipe.write
    listen()
    enter()
    return true
  }

  /// Restores the terminal. Idempotent.
  public func end() {
    leave()
    guard pipe.read >= 0 else { return }
    for number in Self.signals { _ = signal(number, SIG_DFL) }
    signalPipe = -1
    close(pipe.read)
    close(pipe.write)
    pipe = (-1, -1)
  }

  /// Restores the terminal and re-raises a signal with its default action.
  public func die(of number: Int32) {
    end()
    kill(getpid(), number)
  }

  /// Restores the terminal while the process is stopped, as by Control-Z, and takes it over again
  /// on SIGCONT.
  public func stop() {
    leave()
    _ = signal(SIGTSTP, SIG_DFL)
    // Returns when the process continues.
    kill(getpid(), SIGTSTP)
    listen()
    enter()
  }

  /// Waits for keys or a signal, at most `milliseconds`.
  public func wait(milliseconds: Int) -> Wake {
    var sources = [
      pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&sources, 2, Int32(clamping: milliseconds)) > 0 else { return .nothing }
    var bytes = [UInt8](repeating: 0, count: 256)
    if sources[0].revents != 0 {
      guard read(pipe.read, &bytes, 1) == 1 else { return .nothing }
      let number = Int32(bytes[0])
      if number == SIGWINCH || number == SIGCONT { drawn = [] }
      return .signal(number)
    }
    let count = read(input, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    return count > 0 ? .bytes(Array(bytes.prefix(count))) : .gone
  }

  /// Shows lines from the top of the screen, without spaces at their ends. Sends only those that
  /// changed, but all of them after a resize or a stop.
  public func draw(_ lines: [String]) {
    let lines = lines.map(\.trimmedEnd)
    // Terminals erase with the colours in force.
    var text = drawn.isEmpty ? "\(ground)\u{1B}[2J" : ""
    let blanks = Array(repeating: "", count: max(0, drawn.count - lines.count))
    for (row, line) in (lines + blanks).enumerated()
    where row >= drawn.count || drawn[row] != line {
      text += "\u{1B}[\(row + 1);1H\(ground)\(line)\u{1B}[K"
    }
    drawn = lines
    if !text.isEmpty { write(text) }
  }

  /// Writes to the terminal. The next `wait` detects a hang-up.
  private func write(_ text: String) {
    _ = StandardStream.write(text, to: output)
  }

  private func listen() {
    // The parent process may have blocked them.
    var all = sigset_t()
    sigemptyset(&all)
    for number in Self.signals { sigaddset(&all, number) }
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
    for number in Self.signals {
      _ = signal(number) { number in
        // Async-signal-safe: writes one byte and preserves `errno`.
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        #if canImport(Darwin)
          _ = Darwin.write(signalPipe, &byte, 1)
        #elseif canImport(Musl)
          _ = Musl.write(signalPipe, &byte, 1)
        #else
          _ = Glibc.write(signalPipe, &byte, 1)
        #endif
        errno = error
      }
    }
  }

  private func enter() {
    var raw = before
    // Unbuffered keys without echo. The terminal still turns Control-C and Control-Z into signals.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    raw.c_iflag &= ~tcflag_t(IXON)
    // A read returns after one byte, whatever was set before.
    withUnsafeMutableBytes(of: &raw.c_cc) { settings in
      settings[Int(VMIN)] = 1
      settings[Int(VTIME)] = 0
    }
    tcsetattr(input, TCSADRAIN, &raw)
    // xterm: alternate screen, cursor hidden.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    // xterm: presses and the wheel, as numbers; pastes in brackets.
    if hasMouse { write("\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h") }
    isEntered = true
    drawn = []
  }

  private func leave() {
    guard isEntered else { return }
    isEntered = false
    if hasMouse { write("\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l") }
    write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(input, TCSADRAIN, &before)
  }
}
