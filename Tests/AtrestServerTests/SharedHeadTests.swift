// SPDX-License-Identifier: Apache-2.0
// What a server believes of an account's head that other servers advance, too.

import AtrestHTTP2
import AtrestReplication
import AtrestSockets
import AtrestWire
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct SharedHeadTests {
  private let listeningSince = Since()
  private let account: AccountState

  private final class Since: Sendable {
    let instant = Mutex<Instant?>(Instant(nanoseconds: 10))
  }

  init() {
    let since = listeningSince
    let trust = CacheTrust(lifetime: .seconds(3600)) { since.instant.withLock { $0 } }
    account = AccountState(
      id: AccountID(rawValue: 1), name: "home", head: .start,
      learned: Instant(nanoseconds: 0), trust: trust)
  }

  private func cursor(_ sequence: UInt64) -> Cursor { Cursor(commit: 7, sequence: sequence) }

  private var now: Instant { MonotonicClock.now() }

  @Test("what was learned before this server listened, or while it does not, is not trusted")
  func trust() {
    #expect(account.trustedHead == nil)
    _ = account.learn(cursor(3), at: now)
    #expect(account.trustedHead == cursor(3))
    listeningSince.instant.withLock { $0 = nil }
    #expect(account.trustedHead == nil && account.head == cursor(3))
    listeningSince.instant.withLock { $0 = now.advanced(by: .seconds(1)) }
    #expect(account.trustedHead == nil)
  }

  @Test("nothing is trusted for longer than its lifetime")
  func lifetime() {
    let trust = CacheTrust(lifetime: .seconds(10)) { Instant(nanoseconds: 0) }
    #expect(trust.covers(now))
    #expect(!trust.covers(Instant(nanoseconds: now.nanoseconds - 10_000_000_001)))
  }

  @Test("a read that began earlier, and ends later, does not take a newer head away")
  func lateRead() {
    let before = now
    #expect(account.learn(cursor(5), at: now))
    #expect(!account.learn(cursor(4), at: before))
    #expect(account.head == cursor(5))
    #expect(account.learn(cursor(6), at: before), "a head that follows is never late")
  }

  @Test("a read that began while a commit went on, and ends after it, does not take its head away")
  func readBesideCommit() {
    let commitBegan = now
    let readBegan = now
    #expect(account.learn(cursor(5), at: commitBegan))
    #expect(!account.learn(cursor(4), at: readBegan))
    #expect(account.trustedHead == cursor(5))
    #expect(account.learn(cursor(4), at: now), "the database went back")
    #expect(account.trustedHead == cursor(4))
  }

  @Test("news end the trust in what was read before them, and give no other head")
  func news() {
    _ = account.learn(cursor(3), at: now)
    #expect(!account.doubt(unless: cursor(3), at: now), "it is known already")
    #expect(account.trustedHead == cursor(3))
    #expect(account.doubt(unless: cursor(9), at: now))
    #expect(account.trustedHead == nil && account.head == cursor(3))
    _ = account.learn(cursor(3), at: now)
    #expect(account.trustedHead == cursor(3), "nobody could say 9")
  }

  @Test("late news of an earlier commit renew no trust: another may have followed unheard")
  func lateNews() {
    let before = now
    _ = account.learn(cursor(3), at: before)
    // The listener was away meanwhile.
    listeningSince.instant.withLock { $0 = now }
    #expect(account.trustedHead == nil)
    _ = account.doubt(unless: cursor(4), at: now)
    #expect(account.trustedHead == nil)
  }

  @Test("an own commit is known since its transaction began: news that came meanwhile outlast it")
  func ownCommit() {
    let start = now
    _ = account.doubt(unless: cursor(2), at: now)
    _ = account.learn(cursor(1), at: start)
    #expect(account.learn(cursor(2), at: start))
    #expect(account.head == cursor(2) && account.trustedHead == nil)
    #expect(!account.learn(cursor(2), at: now) && account.trustedHead == cursor(2))
  }

  @Test("a database that went back is believed once it was read again")
  func wentBack() {
    _ = account.learn(cursor(9), at: now)
    #expect(account.learn(cursor(2), at: now.advanced(by: .seconds(1))))
    #expect(account.head == cursor(2))
  }
}
