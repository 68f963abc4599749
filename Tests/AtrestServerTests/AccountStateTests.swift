// SPDX-License-Identifier: Apache-2.0
// How often an account may leave what cannot be removed.

import AtrestReplication
import AtrestWire
import Testing

@testable import AtrestServer

@Suite("What an account may leave behind", .timeLimit(.minutes(20)))
struct AccountStateTests {
  private let account = AccountState(id: AccountID(rawValue: 1), name: "home", head: .start)
  private let now = WallTime(milliseconds: 1_000_000_000)

  @Test("64 traces in a row, and one more each minute")
  func traces() {
    let first = (0..<65).map { _ in account.mayLeaveTrace(at: now) }
    #expect(first == Array(repeating: true, count: 64) + [false])
    let later = now.advanced(by: 60_000)
    let second = (0..<2).map { _ in account.mayLeaveTrace(at: later) }
    #expect(second == [true, false])
  }

  @Test("16 renames in a row, and 32 statements that prove nothing")
  func renames() {
    let renames = (0..<17).map { _ in account.mayRename(at: now) }
    #expect(renames == Array(repeating: true, count: 16) + [false])
    for _ in 0..<31 { account.noteBadStatement(at: now) }
    #expect(account.mayShowStatements(at: now))
    account.noteBadStatement(at: now)
    #expect(!account.mayShowStatements(at: now))
  }
}
