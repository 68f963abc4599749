// SPDX-License-Identifier: Apache-2.0
// Which reads are from before something was heard.

import AtrestHTTP2
import AtrestReplication
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct DoubtsTests {
  private var doubts = Doubts(lifetime: .seconds(10))
  private let device = Doubts.Subject.device(phone)
  private let other = Doubts.Subject.device(tablet)

  private func at(_ seconds: Int) -> Instant {
    Instant(nanoseconds: UInt64(seconds) * 1_000_000_000)
  }

  @Test("a read that began before the news, or with them, is in doubt, and no other is")
  mutating func order() {
    doubts.note(device, at: at(100))
    for (start, isDoubted) in [(99, true), (100, true), (101, false)] {
      let concerns = doubts.concern(other, device, readAt: at(start), now: at(101))
      #expect(concerns == isDoubted, "a read of \(start)")
    }
    let concerns = doubts.concern(other, readAt: at(99), now: at(101))
    #expect(!concerns)
  }

  @Test("news are remembered for as long as anybody trusts a read from before them")
  mutating func lifetime() {
    doubts.note(device, at: at(100))
    for second in 101..<110 { doubts.note(other, at: at(second)) }
    let beforeThem = doubts.concern(device, readAt: at(99), now: at(109))
    #expect(beforeThem)
    // Nobody has to remember what this read may have missed.
    let tooOld = doubts.concern(.head(AccountID(rawValue: 1)), readAt: at(99), now: at(110))
    #expect(tooOld)
    let young = doubts.concern(.head(AccountID(rawValue: 1)), readAt: at(101), now: at(110))
    #expect(!young)
  }

  @Test("more news than are remembered put everything in doubt, once")
  mutating func flood() {
    for number in 0...Doubts.limit {
      doubts.note(.device(ReplicaID(rawValue: UInt64(number + 10))), at: at(100))
    }
    let before = doubts.concern(device, readAt: at(100), now: at(101))
    let after = doubts.concern(device, readAt: at(101), now: at(101))
    #expect(before && !after)
  }
}
