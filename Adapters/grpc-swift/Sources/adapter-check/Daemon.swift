// SPDX-License-Identifier: Apache-2.0
// An `atrest-syncd` on this machine, which can be killed, started again, and halted.

import AtrestClient
import Foundation

/// A daemon with a directory of its own. Used by one task at a time.
final class Daemon {
  private let binary: URL
  private let directory: URL
  private let options: [String]
  private var process = Process()
  /// `HOST:PORT`.
  private(set) var address = "127.0.0.1:0"

  /// Starts a daemon on a free port, and waits until it listens.
  ///
  /// - Parameter options: More of them for `serve`.
  init(binary: URL, directory: URL, options: [String] = []) throws {
    (self.binary, self.directory, self.options) = (binary, directory, options)
    try start()
  }

  /// Starts it where it was.
  func start() throws {
    let output = Pipe()
    process = try launch(["serve", "--listen", address] + options, output)
    try "\(process.processIdentifier)\n".write(to: number, atomically: true, encoding: .utf8)
    guard let word = try line(of: output).split(separator: " ").last else {
      throw CheckFailure("the server did not start")
    }
    address = String(word)
  }

  /// The port of the address.
  var port: Substring { address.split(separator: ":")[1] }

  /// A pairing link for its account.
  ///
  /// - Parameter command: `add` for the first link, which makes the account; `invite` for others.
  func link(_ command: String) throws -> PairingLink {
    let output = Pipe()
    let process = try launch(["account", command, "home"], output)
    defer { process.waitUntilExit() }
    return try PairingLink(parsing: line(of: output))
  }

  /// Ends it as a crash would.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: number)
  }

  /// It holds its sockets open, and answers nothing.
  func halt() { Foundation.kill(process.processIdentifier, SIGSTOP) }

  /// It answers again.
  func resume() { Foundation.kill(process.processIdentifier, SIGCONT) }

  /// Names the process while it runs, for `run` to end it if the checks cannot.
  private var number: URL { directory.appendingPathExtension("pid") }

  private func launch(_ arguments: [String], _ output: Pipe) throws -> Process {
    let process = Process()
    process.executableURL = binary
    process.arguments = arguments + ["--data", directory.path]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func line(of output: Pipe) throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
      line += byte
    }
    return String(decoding: line, as: UTF8.self)
  }
}
