// SPDX-License-Identifier: Apache-2.0
// How long journal entries are kept, and what of a deleted record they keep.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class JournalHousekeepingTests: HousekeptAccount {
  /// A deletion, and a write that lost to it and was unknown to it.
  ///
  /// - Parameter isOld: Whether an older server noted it, whose entry does not hold the record.
  private func lateEdit(notedByOlderServer isOld: Bool = false) throws -> Record {
    try push(offer(water(1)), at: noon)
    try push(deletion(deleted(1, at: noon + 1000)), at: noon + 1000)
    let edit = water(1, millilitres: 700, at: noon + 500, by: tablet, replacing: stamp(noon, phone))
    if isOld {
      let entry = Conflict(
        key: edit.key, field: Register.deletedField,
        lost: try #require(edit[Register.deletedField]),
        kept: try #require(deleted(1, at: noon + 1000)[Register.deletedField]),
        noticed: WallTime(milliseconds: noon + 2000))
      try push(Offer(record: entry.journalRecord, written: []).encoded, by: tablet, at: noon + 2000)
    }
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

  @Test("a record is pruned whatever the journal lists, whose entry holds it whole")
  func pruned() throws {
    let edit = try lateEdit()
    try housekeep(at: noon + 40 * day)
    #expect(try intake() == nil)
    #expect(try conflicts().map(\.record) == [edit])
  }

  @Test("an older server's entry keeps what an action wrote in the record until it ends")
  func needed() throws {
    let edit = try lateEdit(notedByOlderServer: true)
    try housekeep(at: noon + 90 * day)
    #expect(try intake() == edit[WaterField.intake])
    #expect(try conflicts().count == 1)
    try housekeep(at: noon + 90 * day + 2000)
    #expect(try conflicts().isEmpty)
    #expect(try stored().contains(deleted(1, at: noon + 1000).pruned()))
  }

  @Test("once a person put such an entry away, the record is pruned like any other")
  func putAway() throws {
    _ = try lateEdit(notedByOlderServer: true)
    try putAway(at: noon + 3000)
    try housekeep(at: noon + 40 * day)
    #expect(try intake() == nil)
  }

  @Test("such an entry that is put away late lets the record go when it goes itself")
  func putAwayLate() throws {
    let edit = try lateEdit(notedByOlderServer: true)
    try housekeep(at: noon + 40 * day)
    try putAway(at: noon + 50 * day)
    try housekeep(at: noon + 79 * day)
    #expect(try intake() == edit[WaterField.intake])
    try housekeep(at: noon + 80 * day)
    #expect(try intake() == nil)
  }

  @Test("an entry of an action that brought a record back holds what it brought back")
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
    try housekeep(at: noon + 80 * day)
    #expect(try intake() == nil)
    let entry = try #require(try conflicts().first)
    #expect(entry.lost.stamp == stamp(noon + 3000, tablet))
    let pruned = deleted(1, at: noon + 4000).pruned()
    #expect(entry.values(restoring: pruned) == [edit[WaterField.intake]])
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
    let time = HybridTime(rawValue: lost.registers[0].stamp.time.rawValue + 1)
    #expect(ended.registers.allSatisfy { $0.stamp == Stamp(time: time, replica: tablet) })
    // A device that restores the server may offer the entry. An old copy of it changes nothing.
    let late = noon + 91 * day
    try push(Offer(record: ended, written: []).encoded, at: late)
    try push(Offer(record: entry, written: []).encoded, at: late)
    #expect(try stored().contains(ended))
    // Detecting the conflict again changes nothing either.
    try push(offer(lost), by: tablet, at: late)
    #expect(try stored().filter { $0.key.kind == .conflict } == [ended])
  }

  @Test("whatever time an entry claims, it is kept for ninety days", arguments: [0, Int64.max])
  func forged(noticed: Int64) throws {
    let forged = Conflict(
      key: water(1).key, field: 2,
      lost: Register(field: 2, stamp: stamp(noon, phone), value: [0x12, 0]),
      kept: Register(field: 2, stamp: stamp(noon + 5, tablet), value: [0x12, 1]),
      noticed: WallTime(milliseconds: noticed))
    try push(Offer(record: forged.journalRecord, written: []).encoded, at: noon)
    try housekeep(at: noon + 90 * day - 1)
    #expect(try stored() == [forged.journalRecord])
    try housekeep(at: noon + 90 * day)
    #expect(try #require(try stored().first).isDeleted)
  }
}
