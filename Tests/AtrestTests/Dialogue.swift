// SPDX-License-Identifier: Apache-2.0
// A program on a terminal: what a person reads and types there.

import Foundation
import Testing

/// A running program on a terminal of the test. Terminated with its last reference.
final class Dialogue {
  let process = Process()
  private let master: CInt
  /// Everything shown so far.
  private(set) var shown = ""
  private var bytes: [UInt8] = []

  /// Maximum time for a program's next output in milliseconds, far longer than it takes.
  private static let patience: CInt = 60_000

  /// - Parameter canType: Whether standard input is the terminal, too.
  init(
    _ program: URL, _ arguments: [String], home: URL, canType: Bool = true,
    _ environment: [String: String] = ["NO_COLOR": "1"]
  ) throws {
    // Like `openpty`, which the C library's module does not export: linux/tty's TIOCSPTLCK and
    // TIOCGPTN.
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0)
    var (lock, number): (CInt, CInt) = (0, 0)
    try #require(
      ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(slave >= 0)
    defer { close(slave) }
    process.executableURL = program
    process.arguments = arguments
    process.environment = ["HOME": home.path, "TZ": "Europe/Berlin"].merging(environment) { $1 }
    let terminal = FileHandle(fileDescriptor: slave)
    process.standardOutput = terminal
    process.standardError = canType ? terminal : FileHandle.nullDevice
    process.standardInput = canType ? terminal : FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
    close(master)
  }

  /// Reads until a text is shown.
  func read(until words: String) throws {
    while !shown.contains(words) {
      try #require(try more(), "the program ended: \(shown)")
    }
  }

  /// Types a line.
  func type(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    try #require(write(master, bytes, bytes.count) == bytes.count)
  }

  /// Reads until the program ends.
  /// - Returns: Its exit code.
  func end() throws -> Int32 {
    while try more() {}
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// - Returns: Whether there was more.
  private func more() throws -> Bool {
    var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    try #require(poll(&waiting, 1, Self.patience) == 1, "nothing was shown after: \(shown)")
    var page = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(master, &page, page.count)
    // The last process on the other end has closed the terminal.
    guard count > 0 else { return false }
    bytes += page.prefix(count)
    shown = String(decoding: bytes, as: UTF8.self)
    return true
  }
}

extension Binary {
  /// Runs the program on a terminal.
  func dialogue(_ arguments: String..., canType: Bool = true) throws -> Dialogue {
    try Dialogue(program, arguments, home: home, canType: canType)
  }

  /// The program's output to a terminal when nobody types.
  func onTerminal(_ arguments: [String]) throws -> String {
    let dialogue = try Dialogue(program, arguments, home: home, canType: false)
    _ = try dialogue.end()
    expectAllowedWords(dialogue.shown)
    return dialogue.shown
  }
}
