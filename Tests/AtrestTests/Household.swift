// SPDX-License-Identifier: Apache-2.0
// A real server and real companions, on loopback, for specifications of what the commands say to
// each other.

import Foundation
import Testing

/// A running `atrest-syncd` with the account `kim`. Ended with its last reference.
final class Household {
  /// The server's program.
  let syncd: Binary
  private let server: Binary.Running

  init() throws {
    syncd = try Binary("atrest-syncd")
    server = try syncd.start(["serve", "--listen", "127.0.0.1:0", "--log-level", "error"])
    // It says where it listens once it does.
    _ = try syncd.line(of: server)
  }

  deinit {
    server.process.terminate()
    _ = server.wait()
  }

  /// A companion that joined an account; the account is made if it is the first.
  func companion(
    _ name: String = "phone", of account: String = "kim", isFirst: Bool = true
  ) throws -> Binary {
    let companion = try Binary()
    let answer = try companion("pair", try link(account, isFirst: isFirst), "--name", name)
    try #require(answer.code == 0, "\(answer.err)")
    return companion
  }

  /// A fresh pairing link.
  func link(_ account: String = "kim", isFirst: Bool = false) throws -> String {
    let answer = try syncd("account", isFirst ? "add" : "invite", account)
    try #require(answer.code == 0, "\(answer.err)")
    let line = answer.out.split(separator: "\n").first { $0.hasPrefix("atrest://") }
    return String(try #require(line))
  }
}
