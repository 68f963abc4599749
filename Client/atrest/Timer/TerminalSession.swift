// SPDX-License-Identifier: Apache-2.0
// Takes a terminal over for a live view, and gives it back exactly as it was, however the view
// ends.

import AtrestCommandLine
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where signal handlers write which signal came; -1 while nobody listens.
///
/// Set before any handler is installed, and a handler only reads it.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// A terminal that a live view has taken over: the alternate screen, no echo, keys one by one. One
/// at a time.
final class TerminalSession {
  /// Why a wait ended.
  enum Wake: Hashable {
    /// Keys were pressed: their bytes.
    case bytes([UInt8])
    /// A signal came.
    case signal(Int32)
    /// Nothing did.
    case nothing
    /// The terminal is gone.
    case gone
  }

  private static let signals = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH,
  ]

  private let input: Int32
  private let output: Int32
  private var before = termios()
  private var isEntered = false
  private var pipe: (read: Int32, write: Int32) = (-1, -1)

  /// - Parameters:
  ///   - input: Where keys come from: a terminal.
  ///   - output: Where the view goes: a terminal.
  init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    self.input = input
    self.output = output
  }

  /// Takes the terminal over.
  ///
  /// - Returns: Whether it is one that can be.
  func begin() -> Bool {
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

  /// Gives the terminal back. Once is enough; more does no harm.
  func end() {
    leave()
    guard pipe.read >= 0 else { return }
    for number in Self.signals { _ = signal(number, SIG_DFL) }
    signalPipe = -1
    close(pipe.read)
    close(pipe.write)
    pipe = (-1, -1)
  }

  /// Gives the terminal back and dies of a signal, as a program does that never caught it.
  func die(of number: Int32) {
    end()
    kill(getpid(), number)
  }

  /// Gives the terminal back while the program is stopped, as by Control-Z, and takes it over again
  /// when it goes on.
  func stop() {
    leave()
    _ = signal(SIGTSTP, SIG_DFL)
    // Returns when the program goes on.
    kill(getpid(), SIGTSTP)
    listen()
    enter()
  }

  /// Waits for keys or a signal.
  func wait(milliseconds: Int) -> Wake {
    var sources = [
      pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&sources, 2, Int32(clamping: milliseconds)) > 0 else { return .nothing }
    var bytes = [UInt8](repeating: 0, count: 256)
    if sources[0].revents != 0 {
      guard read(pipe.read, &bytes, 1) == 1 else { return .nothing }
      return .signal(Int32(bytes[0]))
    }
    let count = read(input, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    return count > 0 ? .bytes(Array(bytes.prefix(count))) : .gone
  }

  /// Writes to the terminal. One that is gone is noticed by the next wait.
  func write(_ text: String) {
    _ = StandardStream.write(text, to: output)
  }

  private func listen() {
    // Whoever started the program may have blocked them.
    var all = sigset_t()
    sigemptyset(&all)
    for number in Self.signals { sigaddset(&all, number) }
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
    for number in Self.signals {
      _ = signal(number) { number in
        // Of what a handler may do, this is all: write a byte, and leave `errno` as it was.
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
    // Keys one by one and unseen; the terminal goes on making signals of Control-C and Control-Z.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    raw.c_iflag &= ~tcflag_t(IXON)
    // A key is enough for a read to return, whatever was set before.
    withUnsafeMutableBytes(of: &raw.c_cc) { settings in
      settings[Int(VMIN)] = 1
      settings[Int(VTIME)] = 0
    }
    tcsetattr(input, TCSADRAIN, &raw)
    // xterm: the alternate screen, no cursor.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    isEntered = true
  }

  private func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(input, TCSADRAIN, &before)
  }
}
