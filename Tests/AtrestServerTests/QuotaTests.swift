// SPDX-License-Identifier: Apache-2.0
// The account quota: what counts, what a full account refuses, and what it accepts anyway.

import AtrestHTTP2
import AtrestRPC
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

import struct AtrestReplication.Conflict
import struct AtrestReplication.Offer
import struct AtrestReplication.Record
import struct AtrestReplication.Register
import struct AtrestReplication.ReplicaID
import struct AtrestReplication.WallTime

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class QuotaTests: TwoDevices {
  private func exchange(
    _ offers: [[UInt8]], records: Int = 1000, bytes: Int = 1 << 30, at now: Int64 = noon
  ) throws -> ExchangeResponse {
    try store.exchange(
      ExchangeRequest(cursor: nil, offers: offers), device: phone, account: kim,
      at: WallTime(milliseconds: now), quota: AccountQuota(records: records, bytes: bytes))
  }

  private func held() throws -> Holdings {
    let kim = kim
    return try store.transaction { t throws(StoreError) in
      try t.accounts.feedState(of: kim).holdings
    }
  }

  /// Counts the stored rows.
  private func counted(_ account: AccountID) throws -> Holdings {
    var sum = Holdings()
    try store.transaction { t throws(StoreError) in
      var records: [Record] = []
      try t.records.feed(of: account, after: 0) { _, body in
        sum.records += 1
        if let record = try? Record(decoding: body) { records.append(record) }
        return true
      }
      for record in records {
        sum.bytes += try t.record(record.key.storageKey, of: account)?.bytes ?? 0
        if record.isLive { sum.live += 1 }
      }
    }
    return sum
  }

  @Test("new records are refused from the quota on, and the rest of the request goes through")
  func records() throws {
    #expect(try exchange((0..<5).map { offer(water($0)) }, records: 5).refusals.isEmpty)
    let answer = try exchange(
      [offer(water(9)), deletion(deleted(1)), offer(water(2)), offer(water(10))], records: 5,
      at: noon + 1000)
    #expect(answer.refusals.map(\.index) == [0, 3])
    #expect(answer.refusals.map(\.reason) == [.quota, .quota])
    #expect(try held() == Holdings(live: 4, records: 5, bytes: try counted(kim).bytes))
    #expect(try counted(kim).records == 5)
    // With room again, the same offers are accepted.
    #expect(try exchange([offer(water(9))], records: 6).refusals.isEmpty)
  }

  @Test("bytes are counted as they are stored, to the last one")
  func bytes() throws {
    let size = water(1).encoded.count
    #expect(try exchange([offer(water(1))], bytes: size - 1).refusals.map(\.reason) == [.quota])
    #expect(try exchange([offer(water(1))], bytes: size).refusals.isEmpty)
    #expect(try exchange([offer(water(2))], bytes: 2 * size - 1).refusals.map(\.index) == [0])
    #expect(try held() == Holdings(live: 1, records: 1, bytes: size))
  }

  @Test("requests that share a commit share the quota")
  func shared() async throws {
    let storage = try Storage()
    let sync = SyncService(
      queue: storage.queue, registry: storage.registry, environment: storage.world.environment,
      quota: AccountQuota(records: 4))
    let answers = Recorder<UnaryOutcome>()
    try await storage.whileCommitting {
      for number in 0..<6 {
        _ = try sync.exchange(try storage.session(tablet), request(nil, water(number)).encoded) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
    }
    var refused = 0
    for _ in 0..<6 {
      refused += try ExchangeResponse(decoding: try await answers.next().reply).refusals.count
    }
    // One record was in the commit that all of them waited for.
    #expect(refused == 3)
    await storage.queue.close()
  }

  @Test("in a full account an edit that makes nothing longer is taken, and one that does is not")
  func edits() throws {
    let old = water(1)
    _ = try exchange([offer(old)])
    let full = try held().bytes
    // `replaced` makes the record longer. Its value does not grow.
    let edit = water(1, millilitres: 251, at: noon + 1, replacing: stamp(noon, phone))
    #expect(try exchange([offer(edit)], bytes: full, at: noon + 1).refusals.isEmpty)
    let longer = water(1, millilitres: 17_000, at: noon + 2, replacing: stamp(noon + 1, phone))
    let answer = try exchange([offer(longer)], bytes: full, at: noon + 2)
    #expect(answer.refusals.map(\.reason) == [.quota])
    #expect(try exchange([offer(longer)], at: noon + 2).refusals.isEmpty)
    #expect(try held() == counted(kim))
  }

  @Test("a new field is growth, however small")
  func newField() throws {
    _ = try exchange([offer(water(1))])
    var wider = water(1)
    wider.set(Register(field: 40, stamp: stamp(noon + 1, phone), value: []))
    let bytes = Offer(record: wider, written: [40]).encoded
    let full = try held().bytes
    #expect(try exchange([bytes], bytes: full, at: noon + 1).refusals.map(\.reason) == [.quota])
  }

  @Test("deletions are always taken, of everything, and coming back is no growth")
  func deletions() throws {
    _ = try exchange((0..<15).map { offer(water($0)) })
    let full = try held().bytes
    let answer = try exchange(
      (0..<15).map { deletion(deleted($0)) }, records: 1, bytes: full, at: noon + 1000)
    #expect(answer.refusals.isEmpty)
    #expect(try held().live == 0)
    let back = water(3, at: noon + 2000, replacing: stamp(noon + 1000, phone))
    let revived = try exchange(
      [Offer(record: back, written: [Register.deletedField]).encoded], records: 1, bytes: full,
      at: noon + 2000)
    #expect(revived.refusals.isEmpty)
    #expect(try held() == counted(kim))
  }

  @Test("a deletion that brings longer values along is growth")
  func smuggled() throws {
    _ = try exchange([offer(water(1))])
    var large = deleted(1)
    large.set(
      Register(
        field: 40, stamp: stamp(noon + 1000, phone),
        // Field 40 in protobuf encoding: tag, length, bytes.
        value: [0xC2, 0x02, 0x64] + [UInt8](repeating: 0, count: 100)))
    let bytes = Offer(record: large, written: [1, 40]).encoded
    let full = try held().bytes
    #expect(try exchange([bytes], bytes: full, at: noon + 1000).refusals.map(\.reason) == [.quota])
  }

  @Test("journal entries count and are written beyond the quota, but not beyond its double")
  func journal() throws {
    _ = try exchange([offer(water(1))])
    let full = try held().bytes
    var refused: Int?
    for number in 1...40 where refused == nil {
      // Each write loses to the stored one without knowing it.
      let late = water(1, millilitres: 251, at: noon - Int64(number), by: tablet)
      let answer = try exchange([offer(late)], records: 1, bytes: full)
      if !answer.refusals.isEmpty {
        #expect(answer.refusals.map(\.reason) == [.quota])
        refused = number
      }
    }
    let bytes = try held().bytes
    #expect(refused ?? 0 > 1 && bytes >= 2 * full)
    #expect(try held() == counted(kim))
  }

  /// Simulation seed 0xb73, 200 steps: the deletion was accepted and pruned while the entry about
  /// it waited for room.
  @Test("an entry that a server lost comes back into a full account, like one that it notices")
  func returningEntry() throws {
    _ = try exchange([offer(water(1))])
    let full = try held().bytes
    func entry(_ number: Int64) -> [UInt8] {
      let lost = Register(field: 1, stamp: stamp(noon - number, tablet), value: [])
      let kept = Register(field: 1, stamp: stamp(noon, phone), value: Register.deletedValue)
      let conflict = Conflict(
        key: water(1).key, field: 1, lost: lost, kept: kept,
        noticed: WallTime(milliseconds: noon))
      return Offer(record: conflict.journalRecord, written: [], isRestored: true).encoded
    }
    #expect(try exchange([entry(1)], records: 1, bytes: full).refusals.isEmpty)
    let answer = try exchange([entry(2)], records: 1, bytes: full)
    #expect(answer.refusals.map(\.reason) == [.quota], "at the double")
    #expect(try held() == counted(kim))
  }

  @Test("what is noted is what is there, after any work")
  func counts() throws {
    let sam = try store.makeAccount("sam")
    try store.makeDevice(ReplicaID(rawValue: 3), sam)
    try checkLaw(cases: 120) { random in
      let account = random.oneIn(3) ? sam : kim
      let time = noon + Int64.random(in: 0..<200 * 24 * 3600 * 1000, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try store.housekeep(account: account, at: WallTime(milliseconds: time))
      case 1:
        // A failed transaction leaves the counts unchanged.
        try? store.transaction { t throws(StoreError) in
          let feed = try AccountFeed(
            account: account, in: t, commit: 9, at: WallTime(milliseconds: noon))
          #expect(try feed.load([[9]]) == [nil])
          _ = feed.insert(water(5000), key: [9], body: [1, 2])
          try feed.finish()
          throw .failed(reason: "on purpose")
        }
      default:
        let offers = (0..<Int.random(in: 1...12, using: &random)).map { _ in
          let number = Int.random(in: 0..<40, using: &random)
          let device = random.oneIn(2) ? phone : tablet
          let at = time - Int64.random(in: 0..<5000, using: &random)
          return random.oneIn(3)
            ? deletion(deleted(number, at: at, by: device))
            : offer(
              water(
                number, millilitres: .random(in: 1...20_000, using: &random), at: at, by: device))
        }
        _ = try store.exchange(
          ExchangeRequest(cursor: nil, offers: offers, allowsMassDeletion: true), device: phone,
          account: account, at: WallTime(milliseconds: time),
          quota: AccountQuota(records: .random(in: 10...60, using: &random), bytes: 9000))
      }
      return try store.transaction { t throws(StoreError) in
        (try t.accounts.feedState(of: kim).holdings, try t.accounts.feedState(of: sam).holdings)
      } == (try counted(kim), try counted(sam))
    }
    // Some of the work was accepted.
    #expect(try counted(kim).records > 10)
  }
}
