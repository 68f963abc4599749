// SPDX-License-Identifier: Apache-2.0
// What is taken out of deleted records and of the journal, and when, and what must stay.

import Replication
import SyncProtocol
import TestSupport
import Testing

@testable import AtrestServer

private let day: Int64 = 24 * 3600 * 1000

@Suite final class HousekeepingTests {
  private let folder: Folder
  private let store: SQLiteStore
  private let kim: AccountID

  init() throws {
    folder = try Folder()
    store = try openStore(folder)
    kim = try store.makeAccount("kim")
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
    try see(phone)
    try see(tablet)
  }

  /// The device called.
  private func see(_ device: ReplicaID, at time: Int64 = noon) throws {
    try store.transaction { t throws(StoreError) in
      try t.setSeen(WallTime(milliseconds: time), device: device)
    }
  }

  deinit {
    store.close()
  }

  private func housekeep(at time: Int64) throws {
    try store.housekeep(account: kim, at: WallTime(milliseconds: time))
  }

  /// Returns the account's head.
  @discardableResult
  private func push(
    _ bytes: [UInt8], by device: ReplicaID = phone, at time: Int64
  ) throws -> Cursor {
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: [bytes]), by: device, at: time)
    #expect(answer.refusals.isEmpty)
    return answer.head
  }

  /// The account's records. The device that asks is none of its own: it holds nothing.
  private func stored() throws -> [Record] {
    try store.exchange(kim, request(), by: ReplicaID(rawValue: 999)).decodedRecords
  }

  /// The device holds everything, and says so.
  private func catchUp(_ device: ReplicaID, at time: Int64 = noon) throws {
    var cursor: Cursor?
    for _ in 0..<2 {
      cursor = try store.exchange(kim, request(cursor), by: device, at: time).cursor
    }
  }

  private let bare = deleted(1).stripped()

  @Test("a deleted record is pruned once every device said that it holds the deletion")
  func everybodyKnows() throws {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1)), at: noon + 1000)
    try catchUp(phone)
    try housekeep(at: noon + 2000)
    #expect(try stored() == [deleted(1)])
    try catchUp(tablet)
    try housekeep(at: noon + 2000)
    #expect(try stored() == [bare])
    #expect(bare.registers.map(\.field) == [Register.deletedField, Register.forgottenField])
  }

  @Test("a record that rotted is passed over, and does not keep the others from being pruned")
  func rotten() throws {
    for number in 1...2 {
      try push(offer(water(number)), at: noon)
      try push(deletion(deleted(number)), at: noon + 1000)
    }
    try store.transaction { t throws(StoreError) in
      try t.replace(
        key: water(1).key.storageKey,
        by: StoredRecord(sequence: 5, body: [0xFF], due: WallTime(milliseconds: noon)), account: kim
      )
      try t.setHead(5, of: kim)
    }
    try housekeep(at: noon + 31 * day)
    try store.transaction { t throws(StoreError) in
      #expect(try t.record(key: water(1).key.storageKey, account: kim)?.body == [0xFF])
      #expect(
        try t.record(key: water(2).key.storageKey, account: kim)?.body
          == deleted(2).stripped().encoded)
    }
  }

  @Test("a device that only pulled as far as before, or offered something, has not said so")
  func notSaid() throws {
    try push(offer(water(1)), at: noon)
    try catchUp(tablet)
    let cursor = try push(deletion(deleted(1)), at: noon + 1000)
    try catchUp(phone)
    var offering = request(cursor, water(9, by: tablet))
    _ = try store.exchange(kim, offering, by: tablet)
    offering = ExchangeRequest(cursor: cursor, offers: [[0xFF]])
    _ = try store.exchange(kim, offering, by: tablet)
    let elsewhere = Cursor(commit: 4, sequence: 9)
    #expect(try store.exchange(kim, request(elsewhere), by: tablet).restarted)
    try housekeep(at: noon + 2000)
    #expect(try stored().contains(deleted(1)))
  }

  @Test("a device whose access ended is not waited for")
  func revoked() throws {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1)), at: noon + 1000)
    try catchUp(phone)
    try store.transaction { t throws(StoreError) in
      _ = try t.revokeDevice(tablet, at: WallTime(milliseconds: noon))
    }
    try housekeep(at: noon + 2000)
    #expect(try stored() == [bare])
  }

  @Test("a device that never called is not waited for")
  func neverSeen() throws {
    try store.makeDevice(ReplicaID(rawValue: 7), kim)
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1)), at: noon + 1000)
    try catchUp(phone)
    try catchUp(tablet)
    try housekeep(at: noon + 2000)
    #expect(try stored() == [bare])
  }

  @Test("a device that has not called for thirty days is not waited for")
  func longUnseen() throws {
    try catchUp(phone, at: noon + 30 * day)
    try push(offer(water(1)), at: noon + 30 * day)
    try push(deletion(deleted(1)), at: noon + 30 * day)
    try catchUp(phone, at: noon + 30 * day)
    try see(tablet, at: noon + 1)
    try housekeep(at: noon + 30 * day)
    #expect(try stored() == [deleted(1)])
    try housekeep(at: noon + 1 + 30 * day)
    #expect(try stored() == [bare])
  }

  @Test("nobody is waited for longer than thirty days after the server took the deletion in")
  func thirtyDays() throws {
    try push(offer(water(1)), at: noon)
    // Made on Monday, brought a week later: the week does not count.
    try push(deletion(deleted(1)), at: noon + 7 * day)
    try housekeep(at: noon + 37 * day - 1)
    #expect(try stored() == [deleted(1)])
    try housekeep(at: noon + 37 * day)
    #expect(try stored() == [bare])
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
    #expect(try stored().contains(deleted(2, at: noon + 2000).stripped()))
  }

  @Test("what is pruned takes a new place in the feed, once")
  func devicesFollow() throws {
    try push(offer(water(1)), at: noon)
    let cursor = try push(deletion(deleted(1)), at: noon + 1000)
    try housekeep(at: noon + 40 * day)
    try housekeep(at: noon + 80 * day)
    let answer = try store.exchange(kim, request(cursor), by: tablet)
    #expect(answer.records == [bare.encoded] && answer.cursor.sequence == 3)
    // Merged into what the device held, it is the same there.
    var held = deleted(1)
    held.merge(bare)
    #expect(held == bare)
  }

  @Test("a record that came back is left alone, and comes back whole after it was pruned")
  func revived() throws {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1)), at: noon + 1000)
    let edit = water(
      1, millilitres: 700, at: noon + 2000, replacing: stamp(noon + 1000, phone))
    try push(offer(edit), at: noon + 2000)
    try housekeep(at: noon + 99 * day)
    #expect(try stored().first { $0.key.kind == .water } == edit)
    try push(offer(water(2)), at: noon)
    try push(deletion(deleted(2)), at: noon + 1000)
    try housekeep(at: noon + 99 * day)
    // Only its deletion was undone: the rest comes from what the device still holds.
    var back = water(2)
    back.set(
      Register(
        field: Register.deletedField, stamp: stamp(noon + 5000, tablet),
        replaced: stamp(noon + 1000, phone), value: []))
    try push(Offer(record: back, written: [1]).encoded, by: tablet, at: noon + 99 * day)
    let found = try #require(try stored().first { $0.key == back.key })
    #expect(!found.isDeleted && found[2]?.value == back[2]?.value)
    #expect(found[2]?.stamp == stamp(noon + 1000, phone), "the deletion's: see RevivalTests")
    try housekeep(at: noon + 200 * day)
    #expect(try stored().contains(found))
  }

  /// A deletion, and a write that lost to it without being known to it.
  private func lateEdit() throws -> Record {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1, at: noon + 1000)), at: noon + 1000)
    let edit = water(1, millilitres: 700, at: noon + 500, by: tablet, replacing: stamp(noon, phone))
    try push(offer(edit), by: tablet, at: noon + 2000)
    #expect(try conflicts().map(\.field) == [Register.deletedField])
    return edit
  }

  private func putAway(at time: Int64) throws {
    var entry = try #require(try stored().first { $0.key.kind == .conflict })
    entry.set(
      Register(
        field: Register.deletedField, stamp: stamp(time, tablet), value: Register.deletedValue))
    try push(offer(entry), by: tablet, at: time)
  }

  private func intake() throws -> Register? {
    try #require(try stored().first { $0.key.kind == .water })[WaterField.intake]
  }

  @Test("what an action wrote stays with the deleted record for as long as the journal lists it")
  func listed() throws {
    let edit = try lateEdit()
    try housekeep(at: noon + 90 * day)
    #expect(try intake() == edit[WaterField.intake])
    #expect(try conflicts().count == 1)
    try housekeep(at: noon + 90 * day + 2000)
    #expect(try conflicts().isEmpty)
    #expect(try stored().contains(deleted(1, at: noon + 1000).stripped()))
  }

  @Test("once a person put the entry away, the record is pruned like any other")
  func putAway() throws {
    _ = try lateEdit()
    try putAway(at: noon + 3000)
    try housekeep(at: noon + 40 * day)
    #expect(try intake() == nil)
  }

  @Test("an entry that is put away late lets the record go when it goes itself")
  func putAwayLate() throws {
    let edit = try lateEdit()
    try housekeep(at: noon + 40 * day)
    try putAway(at: noon + 50 * day)
    try housekeep(at: noon + 79 * day)
    #expect(try intake() == edit[WaterField.intake])
    try housekeep(at: noon + 80 * day)
    #expect(try intake() == nil)
  }

  /// Seed 0x3e0 of 200 steps: writing an action back puts its entry away.
  @Test("what an action brought back stays, too, while the journal lists that it lost")
  func broughtBack() throws {
    let edit = try lateEdit()
    try putAway(at: noon + 3000)
    var back = edit
    back.set(
      Register(
        field: Register.deletedField, stamp: stamp(noon + 3000, tablet),
        replaced: stamp(noon + 1000, phone), value: []))
    try push(
      Offer(record: back, written: [Register.deletedField]).encoded, by: tablet, at: noon + 3000)
    try push(deletion(deleted(1, at: noon + 4000)), at: noon + 4000)
    #expect(try conflicts().map(\.lost.stamp) == [stamp(noon + 3000, tablet)])
    try housekeep(at: noon + 80 * day)
    #expect(try intake() == edit[WaterField.intake])
    try housekeep(at: noon + 91 * day)
    #expect(try intake() == nil && conflicts().isEmpty)
  }

  @Test("a journal entry ends ninety days after it was noticed, and stays ended")
  func journalEnds() throws {
    try push(offer(water(1, at: noon + 10)), at: noon + 10)
    let lost = water(1, millilitres: 100, by: tablet)
    try push(offer(lost), by: tablet, at: noon + 20)
    let entry = try #require(try stored().first { $0.key.kind == .conflict })
    for device in [phone, tablet] { try catchUp(device) }
    try housekeep(at: noon + 20 + 90 * day - 1)
    #expect(try stored().contains(entry))
    try housekeep(at: noon + 20 + 90 * day)
    let ended = try #require(try stored().first { $0.key.kind == .conflict })
    #expect(ended.isDeleted && ended.message == [0x08, 0x01, 0x78, 0x01])
    #expect(ended.registers.allSatisfy { $0.stamp == stamp(noon + 20 + 90 * day, tablet) })
    // It may be offered by whoever brings a server back, and an old copy of the entry changes nothing.
    let late = noon + 91 * day
    try push(Offer(record: ended, written: []).encoded, at: late)
    try push(Offer(record: entry, written: []).encoded, at: late)
    #expect(try stored().contains(ended))
    // Nor does noticing the conflict again.
    try push(offer(lost), by: tablet, at: late)
    #expect(try stored().filter { $0.key.kind == .conflict } == [ended])
  }

  @Test("a journal entry that claims to be from the future ends like one that is from now")
  func forged() throws {
    let forged = Conflict(
      key: water(1).key, field: 2,
      lost: Register(field: 2, stamp: stamp(noon, phone), value: [0x12, 0]),
      kept: Register(field: 2, stamp: stamp(noon + 5, tablet), value: [0x12, 1]),
      noticed: WallTime(milliseconds: .max))
    try push(Offer(record: forged.journalRecord, written: []).encoded, at: noon)
    try housekeep(at: noon + 90 * day)
    let ended = try #require(try stored().first)
    #expect(ended.isDeleted)
    #expect(ended.latestTime == stamp(noon + 90 * day, phone).time)
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
      try t.feed(of: kim, after: UInt64(numbers.count)) { _, _ in
        count += 1
        return true
      }
      return count
    }
    #expect(pruned == numbers.count)
    #expect(try store.exchange(sam, request()).head.sequence == UInt64(numbers.count))
  }

  @Test("pages that are not stored acknowledge nothing")
  func peeks() throws {
    try push(offer(water(1)), at: noon)
    let cursor = try push(deletion(deleted(1)), at: noon + 1000)
    try catchUp(phone)
    _ = try store.exchange(
      kim, ExchangeRequest(cursor: cursor, isPeek: true), by: tablet, at: noon + 1000)
    try housekeep(at: noon + 2000)
    #expect(try stored() == [deleted(1)])
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

  private func conflicts() throws -> [Conflict] {
    try stored().filter { $0.key.kind == .conflict && !$0.isDeleted }
      .map { record throws(WireError) in try Conflict(record) }.sorted { $0.field < $1.field }
  }
}

@Suite struct HousekeeperTests {
  @Test("a round prunes what every device knows, by what their exchanges said, and tells watchers")
  func round() async throws {
    let storage = try Storage()
    storage.world.now = noon + 5000
    for device in [phone, tablet] {
      _ = storage.directory.authenticate(
        credentials(device), at: WallTime(milliseconds: storage.world.now))
    }
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    _ = try await storage.exchange(
      phone, ExchangeRequest(cursor: nil, offers: [deletion(deleted(1))]))
    let keeper = Housekeeper(
      queue: storage.queue, directory: storage.directory, environment: storage.world.environment)
    let cursor = try await storage.exchange(phone, request(start)).cursor
    // From memory, and from storage: the tablet heard of another head last.
    _ = try await storage.exchange(phone, request(cursor))
    await keeper.goRound()
    #expect(try await storage.exchange(tablet, request()).records == [deleted(1).encoded])
    _ = try await storage.exchange(
      tablet, ExchangeRequest(cursor: cursor, lastKnownHead: start))
    await keeper.goRound()
    let answer = try await storage.exchange(tablet, request(cursor))
    #expect(answer.records == [deleted(1).stripped().encoded])
    #expect(try storage.session(phone).account.head.sequence == 3)
    await storage.queue.close()
    await keeper.goRound()
  }

  @Test("a page that is not stored acknowledges nothing, whether memory or storage answers")
  func peek() async throws {
    let storage = try Storage()
    storage.world.now = noon + 5000
    _ = storage.directory.authenticate(
      credentials(tablet), at: WallTime(milliseconds: storage.world.now))
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    let cursor = try await storage.exchange(
      phone, ExchangeRequest(cursor: start, offers: [deletion(deleted(1))])
    ).cursor
    let keeper = Housekeeper(
      queue: storage.queue, directory: storage.directory, environment: storage.world.environment)
    let unseen = try storage.session(tablet).progress
    for known in [cursor, start] {
      _ = try await storage.exchange(
        tablet, ExchangeRequest(cursor: cursor, lastKnownHead: known, isPeek: true))
      #expect(try storage.session(tablet).progress == unseen)
      await keeper.goRound()
      #expect(try storage.session(tablet).account.head == cursor)
    }
    _ = try await storage.exchange(tablet, request(cursor))
    #expect(try storage.session(tablet).progress.acknowledgedSequence == 2)
    await keeper.goRound()
    #expect(try storage.session(tablet).account.head.sequence == 3)
    await storage.queue.close()
  }

  @Test("what devices acknowledged, and the heads they were told, outlive a restart")
  func persistent() async throws {
    let storage = try Storage()
    let cursor = try await storage.exchange(phone, request(nil, water(1))).cursor
    _ = try await storage.exchange(phone, request(cursor, water(2)))
    _ = try await storage.exchange(tablet, request(cursor))
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    let devices = try store.transaction { t throws(StoreError) in try t.devices(of: nil) }
    func progress(_ device: ReplicaID) -> DeviceProgress? {
      devices.first { $0.replica == device }?.progress
    }
    #expect(progress(phone) == DeviceProgress(acknowledgedSequence: 0, toldSequence: 2))
    #expect(progress(tablet) == DeviceProgress(acknowledgedSequence: 1, toldSequence: 2))
  }
}
