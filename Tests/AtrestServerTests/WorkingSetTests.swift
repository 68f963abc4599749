// SPDX-License-Identifier: Apache-2.0
// Loading, changing in memory, and writing records: directly, and through an exchange whose store
// calls are counted.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WorkingSetTests {
  private let kim = AccountID(rawValue: 1)

  @Test("several changes of one record are one, which knows the sequence in the store")
  func coalesces() {
    var set = WorkingSet()
    set.load([1], StoredRecord(sequence: 4, body: [1]))
    set.load([2], nil)
    // A key that is requested twice is loaded once.
    set.load([1], nil)
    #expect(set.record([1]) == .some(StoredRecord(sequence: 4, body: [1])))
    #expect(set.record([2]) == .some(nil) && set.record([3]) == nil)
    set.change([2], to: StoredRecord(sequence: 5, body: [2]))
    set.change([1], to: StoredRecord(sequence: 6, body: [10]))
    set.change([2], to: StoredRecord(sequence: 7, body: [20]))
    #expect(set.hasChanges)
    #expect(
      set.takeChanges(of: kim) == [
        change([2], nil, StoredRecord(sequence: 7, body: [20])),
        change([1], 4, StoredRecord(sequence: 6, body: [10])),
      ])
    #expect(!set.hasChanges && set.takeChanges(of: kim).isEmpty)
    set.change([2], to: StoredRecord(sequence: 8, body: [21]))
    #expect(
      set.takeChanges(of: kim) == [change([2], 7, StoredRecord(sequence: 8, body: [21]))])
    set.removeAll()
    #expect(set.record([1]) == nil)
  }

  private func change(
    _ key: [UInt8], _ previous: UInt64?, _ record: StoredRecord
  ) -> RecordChange {
    RecordChange(
      address: RecordAddress(account: kim, key: key), previous: previous, record: record)
  }
}

@Suite(.timeLimit(.minutes(20))) struct StorageCallTests {
  private let folder: Folder
  private let store: SQLiteStore
  private let kim: AccountID

  init() throws {
    folder = try Folder()
    store = try openStore(folder)
    kim = try store.makeAccount("kim")
    try store.makeDevice(phone, kim)
  }

  @Test("a page of new, edited and repeated records is loaded and written by one call each")
  func page() throws {
    _ = try exchange((0..<600).map { offer(water($0)) })
    let mixed = (300..<1300).map { number in
      offer(
        number < 500
          ? water(number, millilitres: 300, at: noon + 9, replacing: stamp(noon, phone))
          : water(number))
    }
    let (answer, calls) = try exchange(mixed)
    #expect(answer.refusals.isEmpty && answer.head.sequence == 600 + 200 + 700)
    #expect(calls == ["load 1000", "write 900"])
    // Stored records are only read.
    #expect(try exchange(mixed).calls == ["load 1000"])
    #expect(try exchange([]).calls == [])
  }

  @Test("a record that is offered twice in a page is written once, as the last offer left it")
  func twice() throws {
    let edited = water(1, millilitres: 300, at: noon + 9, replacing: stamp(noon, phone))
    let (answer, calls) = try exchange([offer(water(1)), offer(water(2)), offer(edited)])
    #expect(calls == ["load 3", "write 2"] && answer.refusals.isEmpty)
    #expect(try store.exchange(kim, request()).decodedRecords == [water(2), edited])
  }

  @Test("the journal entries of a page of writes that lost are loaded by one call")
  func losing() throws {
    _ = try exchange((0..<50).map { offer(water($0, at: noon + 9)) })
    let losing = (0..<50).map { offer(water($0, millilitres: 300, by: tablet)) }
    let (answer, calls) = try exchange(losing)
    #expect(answer.superseded.count == 50)
    #expect(calls == ["load 50", "load 50", "write 100"])
    // A journal entry that exists is not added again.
    #expect(try exchange(losing).calls.first == "load 50")
    let entries = try store.exchange(kim, request()).decodedRecords.count {
      $0.key.kind == .conflict
    }
    #expect(entries == 50)
  }

  @Test("records that are too large to be in memory at once are loaded in several calls")
  func large() throws {
    let count = 90
    for number in 0..<count {
      try #require(try exchange([offer(large(number, 1))]).answer.refusals.isEmpty)
    }
    let (answer, calls) = try exchange(
      (0..<count).map { offer(large($0, 2)) } + [offer(large(0, 3))])
    #expect(answer.refusals.isEmpty)
    #expect(calls.filter { $0.hasPrefix("load") }.count > 2)
    let (kim, first, last) = (kim, large(0, 3), large(count - 1, 2))
    try store.transaction { t throws(StoreError) in
      #expect(try t.record(first.key.storageKey, of: kim)?.body == first.encoded)
      #expect(try t.record(last.key.storageKey, of: kim)?.body == last.encoded)
    }
  }

  /// A record of 48 KiB of an unknown kind.
  private func large(_ number: Int, _ version: UInt8) -> Record {
    let written = stamp(noon + Int64(version), phone)
    let replaced = version == 1 ? nil : stamp(noon + Int64(version) - 1, phone)
    let values = (0..<4).map { FieldNumber(2 + $0) }.map {
      Register(
        field: $0, stamp: written, replaced: replaced,
        value: [UInt8](repeating: version, count: 12_288))
    }
    let key = RecordKey(kind: RecordKind(rawValue: 1024), id: recordID(number))
    let deleted = Register(
      field: Register.deletedField, stamp: written, replaced: replaced, value: [])
    return Record(key: key, registers: [deleted] + values) ?? Record(key: key)
  }

  @Test("a slice of housekeeping asks the journal once, and writes once")
  func housekeeping() throws {
    let count = 300
    _ = try exchange((0..<count).map { deletion(deleted($0)) })
    let now = WallTime(milliseconds: noon + 40 * 24 * 3600 * 1000)
    let calls = try counting { t throws(StoreError) in
      let feed = try AccountFeed(account: kim, in: t, commit: 9, at: now)
      _ = try Housekeeping.run(feed)
      try feed.finish()
    }
    #expect(calls == ["due", "scan \(count)", "write \(count)"])
  }

  private func exchange(
    _ offers: [[UInt8]]
  ) throws -> (answer: ExchangeResponse, calls: [String]) {
    var unlimited = PreparedExchange(
      ExchangeRequest(cursor: .start, offers: offers, allowsMassDeletion: true))
    unlimited.limits.writtenBytes = 1 << 30
    let prepared = unlimited
    var answer: ExchangeResponse?
    let calls = try counting { t throws(StoreError) in
      let feed = try AccountFeed(account: kim, in: t, commit: 9, at: WallTime(milliseconds: noon))
      answer = try Exchange.run(
        prepared, device: phone, feed: feed, now: WallTime(milliseconds: noon))
      try feed.finish()
    }
    return (try #require(answer), calls.filter { !$0.hasPrefix("feed") })
  }

  /// The calls of `RecordStore` that a transaction makes.
  private func counting(
    _ body: (any StoreTransaction) throws(StoreError) -> Void
  ) throws -> [String] {
    try store.transaction { t throws(StoreError) in
      let counting = CountingTransaction(t)
      try body(counting)
      return counting.counted.calls
    }
  }
}

/// A transaction that counts its record calls.
private final class CountingTransaction: StoreTransaction {
  private let base: any StoreTransaction
  let counted: CountingRecords

  init(_ base: any StoreTransaction) {
    self.base = base
    counted = CountingRecords(base.records)
  }

  var records: any RecordStore { counted }
  var accounts: any AccountStore { base.accounts }
  var devices: any DeviceStore { base.devices }
  var invitations: any InvitationStore { base.invitations }
  var purchases: any PurchaseStore { base.purchases }
  var events: any EventLog { base.events }
}

private final class CountingRecords: RecordStore {
  private let base: any RecordStore
  private(set) var calls: [String] = []

  init(_ base: any RecordStore) {
    self.base = base
  }

  func load(_ addresses: [RecordAddress], limitBytes: Int) throws(StoreError) -> [StoredRecord?] {
    calls.append("load \(addresses.count)")
    return try base.load(addresses, limitBytes: limitBytes)
  }

  func write(_ changes: [RecordChange]) throws(StoreError) {
    calls.append("write \(changes.count)")
    try base.write(changes)
  }

  func feed(
    of account: AccountID, after sequence: UInt64, _ visit: (UInt64, [UInt8]) -> Bool
  ) throws(StoreError) {
    calls.append("feed")
    try base.feed(of: account, after: sequence, visit)
  }

  func keys(
    of account: AccountID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [[UInt8]] {
    calls.append("keys")
    return try base.keys(of: account, after: sequence, limit: limit)
  }

  func scan(
    _ intervals: [KeyInterval], of account: AccountID, _ visit: (Int, [UInt8], [UInt8]) -> Bool
  ) throws(StoreError) {
    calls.append("scan \(intervals.count)")
    try base.scan(intervals, of: account, visit)
  }

  func due(
    of account: AccountID, at now: WallTime, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)] {
    calls.append("due")
    return try base.due(of: account, at: now, limit: limit)
  }
}
