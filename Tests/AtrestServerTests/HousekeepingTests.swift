// SPDX-License-Identifier: Apache-2.0
// What pruning removes from deleted records and the journal, when, and what it keeps.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class HousekeepingTests: HousekeptAccount {
  private let bare = deleted(1).pruned()

  @Test("a record that rotted is passed over, and does not keep the others from being pruned")
  func rotten() throws {
    for number in 1...2 {
      try push(offer(water(number)), at: noon)
      try push(deletion(deleted(number)), at: noon + 1000)
    }
    try store.transaction { t throws(StoreError) in
      try t.overwrite(
        water(1).key.storageKey,
        by: StoredRecord(sequence: 5, body: [0xFF], due: WallTime(milliseconds: noon)), of: kim)
      try t.setHead(5, of: kim)
    }
    try housekeep(at: noon + 31 * day)
    try store.transaction { t throws(StoreError) in
      #expect(try t.record(water(1).key.storageKey, of: kim)?.body == [0xFF])
      #expect(
        try t.record(water(2).key.storageKey, of: kim)?.body == deleted(2).pruned().encoded)
    }
  }

  @Test("a deleted record is pruned thirty days after the server took the deletion in")
  func thirtyDays() throws {
    try push(offer(water(1)), at: noon)
    // Deleted on Monday and pushed a week later. The week in between does not count.
    try push(deletion(deleted(1)), at: noon + 7 * day)
    try housekeep(at: noon + 37 * day - 1)
    #expect(try stored() == [deleted(1)])
    try housekeep(at: noon + 37 * day)
    #expect(try stored() == [bare])
    #expect(bare.registers.map(\.field) == [Register.deletedField, Register.pruneFloorField])
  }

  @Test("another write to a deleted record does not set the clock back; another deletion does")
  func clockGoesOn() throws {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1)), at: noon + 1000)
    let known = water(1, millilitres: 400, at: noon + 500, replacing: stamp(noon, phone))
    try push(Offer(record: known, written: [2]).encoded, at: noon + 10 * day)
    try housekeep(at: noon + 1000 + 30 * day)
    #expect(try stored().first { $0.key.kind == .water } == bare)
    try push(offer(water(2)), at: noon)
    try push(deletion(deleted(2)), at: noon + 1000)
    try push(deletion(deleted(2, at: noon + 2000)), at: noon + 10 * day)
    try housekeep(at: noon + 1000 + 30 * day)
    #expect(try stored().contains(deleted(2, at: noon + 2000)))
    try housekeep(at: noon + 40 * day)
    #expect(try stored().contains(deleted(2, at: noon + 2000).pruned()))
  }

  @Test("what is pruned takes a new place in the feed, once")
  func devicesFollow() throws {
    try push(offer(water(1)), at: noon)
    let cursor = try push(deletion(deleted(1)), at: noon + 1000)
    try housekeep(at: noon + 40 * day)
    try housekeep(at: noon + 80 * day)
    let answer = try store.exchange(kim, request(cursor), by: tablet)
    #expect(answer.records == [bare.encoded] && answer.cursor.sequence == 3)
    // Merging it into the device's copy gives the same record.
    var held = deleted(1)
    held.merge(bare)
    #expect(held == bare)
  }

  @Test("a record that came back in time is left alone")
  func revived() throws {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1)), at: noon + 1000)
    let edit = water(
      1, millilitres: 700, at: noon + 2000, replacing: stamp(noon + 1000, phone))
    try push(offer(edit), at: noon + 2000)
    try housekeep(at: noon + 99 * day)
    #expect(try stored().first { $0.key.kind == .water } == edit)
  }

  @Test("more than one slice is done, and other accounts are left alone")
  func slices() throws {
    let sam = try store.makeAccount("sam")
    let numbers = 0..<(2 * Housekeeping.slice + 7)
    for account in [kim, sam] {
      for start in stride(from: 0, to: numbers.count, by: 1000) {
        let page = numbers[start..<min(start + 1000, numbers.count)].map { deletion(deleted($0)) }
        _ = try store.exchange(
          account, ExchangeRequest(cursor: nil, offers: page), at: noon + 1000)
      }
    }
    try housekeep(at: noon + 40 * day)
    let pruned = try store.transaction { [kim] t throws(StoreError) in
      var count = 0
      try t.records.feed(of: kim, after: UInt64(numbers.count)) { _, _ in
        count += 1
        return true
      }
      return count
    }
    #expect(pruned == numbers.count)
    #expect(try store.exchange(sam, request()).head.sequence == UInt64(numbers.count))
  }

  @Test("names of old commits go, but for those that devices were told or showed last")
  func names() throws {
    let early = try push(offer(water(1)), at: noon)
    let shown = try push(offer(water(2)), at: noon)
    for device in [phone, tablet] { _ = try store.exchange(kim, request(shown), by: device) }
    try store.transaction { t throws(StoreError) in
      for sequence in 3...UInt64(Housekeeping.keptCommits + 2) { try t.setHead(sequence, of: kim) }
    }
    try housekeep(at: noon)
    #expect(try store.exchange(kim, request(early)).restarted)
    #expect(try !store.exchange(kim, request(shown)).restarted)
    let first = Cursor(commit: 1003, sequence: 3)
    #expect(try !store.exchange(kim, request(first), by: ReplicaID(rawValue: 999)).restarted)
  }
}
