// SPDX-License-Identifier: Apache-2.0
// A real server and real clients on loopback, for tests of commands that interact.

import Foundation
import Testing

/// A running `atrest-syncd` with the account `kim`. Terminated with its last reference.
final class Household {
  /// The server's program.
  let syncd: Binary
  private let server: Binary.Running

  init() throws {
    syncd = try Binary("atrest-syncd")
    server = try syncd.start(["serve", "--listen", "127.0.0.1:0", "--log-level", "error"])
    // It prints its address once it listens.
    _ = try syncd.line(of: server)
  }

  deinit {
    server.process.terminate()
    _ = server.wait()
  }

  /// Creates a paired client. The first one also creates the account.
  func companion(
    _ name: String = "phone", of account: String = "kim", isFirst: Bool = true
  ) throws -> Binary {
    let companion = try Binary()
    let answer = try companion("pair", try link(account, isFirst: isFirst), "--name", name)
    try #require(answer.code == 0, "\(answer.err)")
    return companion
  }

  /// Creates a pairing link.
  func link(_ account: String = "kim", isFirst: Bool = false) throws -> String {
    let answer = try syncd("account", isFirst ? "add" : "invite", account)
    try #require(answer.code == 0, "\(answer.err)")
    let line = answer.out.split(separator: "\n").first { $0.hasPrefix("atrest://") }
    return String(try #require(line))
  }
}
