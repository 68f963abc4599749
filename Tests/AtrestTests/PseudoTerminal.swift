// SPDX-License-Identifier: Apache-2.0
// A pseudo-terminal with a program on it.

import Foundation
import Testing

/// A pseudo-terminal, as terminal emulators and ssh create them.
final class PseudoTerminal {
  private let master: Int32
  private let slave: Int32
  /// Everything written to it so far.
  private(set) var written = ""
  private var mark = 0

  /// The settings that a program may change.
  struct Settings: Equatable {
    var flags: [UInt]
    var characters: [UInt8]
  }

  init(columns: UInt16, rows: UInt16) throws {
    // Like `openpty`, which the C library's module does not export: linux/tty's TIOCSPTLCK and
    // TIOCGPTN.
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0)
    var (lock, number): (CInt, CInt) = (0, 0)
    try #require(
      ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(slave >= 0)
    try resize(columns: columns, rows: rows)
  }

  deinit {
    close(slave)
    close(master)
  }

  func resize(columns: UInt16, rows: UInt16) throws {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// The terminal's current settings.
  func settings() throws -> Settings {
    var found = termios()
    try #require(tcgetattr(slave, &found) == 0)
    let characters = withUnsafeBytes(of: &found.c_cc) { Array($0) }
    return Settings(
      flags: [found.c_iflag, found.c_oflag, found.c_cflag, found.c_lflag].map { UInt($0) },
      characters: characters)
  }

  /// Starts a program on the terminal.
  func start(
    _ binary: Binary, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> Process {
    let process = Process()
    process.executableURL = binary.program
    process.arguments = arguments
    process.environment = [
      "HOME": binary.home.path, "TZ": "Europe/Berlin", "TERM": "xterm-256color",
    ]
    .merging(environment) { $1 }
    let end = FileHandle(fileDescriptor: slave)
    process.standardInput = end
    process.standardOutput = end
    process.standardError = end
    try process.run()
    return process
  }

  func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    try #require(write(master, bytes, bytes.count) == bytes.count)
  }

  /// Reads until a text was written since the last wait. Returns everything since then.
  @discardableResult
  func wait(for text: String) throws -> String {
    while true {
      let rest = written.dropFirst(mark)
      if let found = rest.range(of: text) {
        mark = written.distance(from: written.startIndex, to: found.upperBound)
        return String(rest[..<found.upperBound])
      }
      var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      try #require(poll(&waiting, 1, 30_000) == 1, "nothing more was written; \(text) was not")
      try #require(readSome() > 0)
    }
  }

  /// Reads available output until the program has ended.
  func finish(_ process: Process) {
    while process.isRunning {
      var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, 20) == 1 { _ = readSome() }
    }
    var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, 0) == 1, readSome() > 0 {}
    expectAllowedWords(written)
  }

  private func readSome() -> Int {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(master, &bytes, bytes.count)
    // A character split between two reads is not part of any text that a test waits for.
    if count > 0 { written += String(decoding: bytes.prefix(count), as: UTF8.self) }
    return count
  }
}
