// SPDX-License-Identifier: Apache-2.0
// The order of accounts with notes to be written, and how many there are.

import AtrestReplication
import AtrestTestSupport
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WaitingNotesTests {
  private func id(_ number: Int64) -> AccountID { AccountID(rawValue: number) }

  private func note(_ number: Int64, _ notes: inout WaitingNotes) {
    notes.change(id(number)) { $0.seen[id(number)[phone]] = WallTime(milliseconds: number) }
  }

  @Test("those that have waited the longest come first, whatever is noted of them meanwhile")
  func order() {
    var notes = WaitingNotes()
    for number in [3, 1, 2, 3, 1] as [Int64] { note(number, &notes) }
    #expect(notes.oldest(2) == [id(3), id(1)])
    #expect(notes.take(id(3))?.seen == [id(3)[phone]: WallTime(milliseconds: 3)])
    #expect(notes.take(id(3)) == nil)
    note(3, &notes)
    #expect(notes.oldest(9) == [id(1), id(2), id(3)])
    #expect(notes.takeAll().count == 3)
    #expect(notes.oldest(9).isEmpty)
  }

  @Test("every account has its turn, however many are noted in between")
  func turns() {
    checkLaw(cases: 20) { random in
      var notes = WaitingNotes(limit: 50)
      var waited: [AccountID: Int] = [:]
      for round in 0..<1000 {
        note(Int64.random(in: 1...40, using: &random), &notes)
        if round % 2 == 0, let next = notes.oldest(1).first {
          _ = notes.take(next)
          waited[next] = nil
        }
        for account in notes.oldest(100) { waited[account, default: 0] += 1 }
        guard waited.values.allSatisfy({ $0 <= 100 }) else { return false }
      }
      return true
    }
  }

  @Test("there is a bound, beyond which the oldest notes are dropped")
  func bound() {
    var notes = WaitingNotes(limit: 3)
    for number in 1...5 as ClosedRange<Int64> { note(number, &notes) }
    #expect(notes.oldest(9) == [id(3), id(4), id(5)])
  }
}
