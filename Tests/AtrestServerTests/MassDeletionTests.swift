// SPDX-License-Identifier: Apache-2.0
// When a request deletes so much that a person must confirm.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class MassDeletionTests: OneAccount {
  private func fill(_ count: Int) throws {
    let offers = (0..<count).map { offer(water($0)) }
    _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: offers))
  }

  private func delete(
    _ numbers: some Sequence<Int>, beside others: [[UInt8]] = [], isAllowed: Bool = false,
    after milliseconds: Int64 = 0
  ) throws -> ExchangeResponse {
    let offers = others + numbers.map { deletion(deleted($0)) }
    return try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: offers, allowsMassDeletion: isAllowed),
      at: noon + 1000 + milliseconds)
  }

  private func live() throws -> Int {
    try store.holdings(of: kim).live
  }

  @Test("half of the records may go, one more may not")
  func half() throws {
    try fill(20)
    let refused = try delete(0..<11)
    #expect(refused.refusals.map(\.reason) == Array(repeating: .massDeletion, count: 11))
    #expect(refused.head.sequence == 20)
    #expect(try delete(0..<10).refusals.isEmpty)
    #expect(try live() == 10)
  }

  @Test("one by one, no more may go in a day than at once")
  func oneByOne() throws {
    try fill(40)
    let refused = try (0..<40).filter { try !delete($0...$0).refusals.isEmpty }
    #expect(refused == Array(20..<40))
    #expect(try live() == 20)
    #expect(try delete(30...30, isAllowed: true).refusals.isEmpty)
    // The person was asked, so that a new day begins.
    #expect(try delete(31...31).refusals.isEmpty)
  }

  @Test("a day after the first deletion the count begins anew")
  func nextDay() throws {
    try fill(40)
    #expect(try delete(0..<10).refusals.isEmpty)
    let day = RecentDeletions.dayMilliseconds
    #expect(try delete(10..<20, after: day - 1).refusals.isEmpty)
    #expect(try delete(20..<21, after: day - 1).refusals.map(\.reason) == [.massDeletion])
    #expect(try delete(20..<30, after: day).refusals.isEmpty)
    #expect(try live() == 10)
  }

  /// Seed 0x61aa9 of 200 steps: of three offers of a record the second was refused, and the third,
  /// which had been written over its edit, was taken.
  @Test("what the same request brings back is not deleted")
  func broughtBackAtOnce() throws {
    try fill(20)
    let back = offer(water(0, at: noon + 2000, replacing: stamp(noon + 1000, phone)))
    let offers = (0..<11).map { deletion(deleted($0)) } + [back]
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: offers), at: noon + 3000)
    #expect(answer.refusals.isEmpty)
    #expect(try live() == 10)
  }

  @Test("an edit that is older than the deletion brings nothing back, wherever it stands")
  func notBroughtBack() throws {
    try fill(20)
    let stale = (0..<11).map { offer(water($0, at: noon + 500, replacing: stamp(noon, phone))) }
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: (0..<11).map { deletion(deleted($0)) } + stale),
      at: noon + 3000)
    #expect(answer.refusals.count == 11)
    #expect(try live() == 20)
  }

  @Test("what was brought back does not count")
  func broughtBack() throws {
    try fill(20)
    #expect(try delete(0..<10).refusals.isEmpty)
    let again = (0..<10).map {
      offer(water($0, at: noon + 2000, replacing: stamp(noon + 1000, phone)))
    }
    _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: again), at: noon + 2000)
    try #require(try live() == 20)
    let offers = (10..<20).map { deletion(deleted($0)) }
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: offers), at: noon + 3000)
    #expect(answer.refusals.isEmpty)
  }

  @Test("what devices give back to a server that lost it does not count")
  func givenBack() throws {
    try fill(40)
    let restored = (0..<15).map {
      Offer(record: deleted($0), written: [], isRestored: true).encoded
    }
    _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: restored), at: noon + 1000)
    try #require(try live() == 25)
    #expect(try delete(15..<27).refusals.isEmpty)
  }

  @Test("no count of a damaged store stops it")
  func damaged() throws {
    try fill(40)
    for count in [Int.min, -1, .max] {
      let account = kim
      let wrong = RecentDeletions(since: WallTime(milliseconds: noon), count: count)
      try store.transaction { t throws(StoreError) in
        try t.accounts.advance([FeedChange(account: account, deletions: wrong)])
      }
      _ = try delete(0..<1)
    }
  }

  @Test("of 19 records all may go")
  func few() throws {
    try fill(19)
    #expect(try delete(0..<19).refusals.isEmpty)
    #expect(try live() == 0)
  }

  @Test("a record that rotted is refused by itself, and neither ends the request nor the server")
  func rotten() throws {
    try fill(30)
    let account = kim
    try store.transaction { t throws(StoreError) in
      try t.overwrite(
        water(3).key.storageKey, by: StoredRecord(sequence: 4, body: [0xFF]), of: account)
    }
    #expect(try delete(0..<20).refusals.map(\.reason).filter { $0 != .massDeletion } == [.damaged])
    let answer = try delete(0..<20, isAllowed: true)
    #expect(answer.refusals.map(\.reason) == [.damaged])
    #expect(answer.refusals.map(\.index) == [3])
  }

  @Test("whoever was asked may")
  func allowed() throws {
    try fill(40)
    #expect(try delete(0..<40, isAllowed: true).refusals.isEmpty)
    #expect(try live() == 0)
  }

  @Test("what is offered beside the deletions is taken")
  func others() throws {
    try fill(20)
    let answer = try delete(0..<11, beside: [offer(water(100)), deletion(deleted(200))])
    // The account never had record 200, so nothing of it is deleted.
    #expect(answer.refusals.map(\.index) == Array(2..<13))
    #expect(answer.head.sequence == 22)
    #expect(try live() == 21)
  }

  @Test("deleting what is deleted already, or twice in one request, counts once")
  func repeated() throws {
    try fill(40)
    #expect(try delete(0..<10).refusals.isEmpty)
    #expect(try live() == 30)
    let again = (0..<10).map { deletion(deleted($0, at: noon + 1500)) }
    #expect(try delete(10..<20, beside: again).refusals.isEmpty)
    #expect(try live() == 20)
    try fill(60)
    #expect(try delete(Array(40..<50) + Array(40..<50)).refusals.isEmpty)
  }

  @Test("the journal and entitlements are not what is counted")
  func journal() throws {
    let early = water(1, millilitres: 100, by: tablet)
    _ = try store.exchange(kim, request(nil, water(1, at: noon + 1)), at: noon + 1)
    _ = try store.exchange(kim, request(nil, early), by: tablet, at: noon + 1)
    let fact = try #require(
      Record(
        key: RecordKey(kind: .session, id: recordID(5)),
        registers: [
          Register(
            field: Register.deletedField, stamp: stamp(noon, phone), value: Register.deletedValue)
        ]))
    #expect(!fact.isLive)
    #expect(!Record(key: RecordKey(kind: .entitlement, id: [1])).isLive)
    #expect(Record(key: RecordKey(kind: RecordKind(rawValue: 77), id: [1])).isLive)
    #expect(try store.exchange(kim, request()).records.count == 2)
    #expect(try live() == 1)
  }

  @Test("a record that comes back is live again")
  func revived() throws {
    try fill(2)
    _ = try delete(0..<1)
    #expect(try live() == 1)
    _ = try store.exchange(kim, request(nil, water(0, at: noon + 2000)), at: noon + 2000)
    #expect(try live() == 2)
  }

  @Test(
    "what is counted while exchanging is what counting finds",
    arguments: seeds(20))
  func counter(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for step in 0..<60 {
      let records = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        let number = Int.random(in: 0..<12, using: &random)
        let time = noon + Int64(Int.random(in: 0..<60, using: &random))
        return Bool.random(using: &random)
          ? water(number, at: time, by: tablet) : deleted(number, at: time)
      }
      _ = try store.exchange(
        kim,
        ExchangeRequest(cursor: nil, offers: records.map(offer), allowsMassDeletion: true),
        at: noon + Int64(step))
    }
    let records = try store.exchange(kim, request()).decodedRecords
    #expect(try live() == records.count { $0.isLive }, "seed \(seed)")
  }
}
