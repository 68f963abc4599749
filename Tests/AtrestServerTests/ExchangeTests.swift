// SPDX-License-Identifier: Apache-2.0
// What an exchange accepts, refuses, returns and omits.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class ExchangeTests: OneAccount {
  @Test("what one device offers, another receives, byte for byte")
  func travels() throws {
    let pushed = try store.exchange(kim, request(nil, water(1), water(2)))
    #expect(pushed.cursor.sequence == 2 && pushed.cursor.commit != 0)
    #expect(pushed.head == pushed.cursor)
    #expect(pushed.refusals.isEmpty && pushed.superseded.isEmpty && !pushed.restarted)
    let pulled = try store.exchange(kim, request())
    #expect(pulled.records == [water(1).encoded, water(2).encoded])
    #expect(pulled.cursor == pushed.cursor && !pulled.more)
    #expect(pulled.serverTime == WallTime(milliseconds: noon))
  }

  @Test("what a request offered, and the merge left as it came, is not sent back")
  func noEcho() throws {
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    _ = try store.exchange(kim, request(start, water(2, by: tablet)))
    let answer = try store.exchange(kim, request(start, water(3)))
    #expect(answer.records == [water(2, by: tablet).encoded])
    #expect(answer.cursor.sequence == 3)
  }

  @Test("offering a record again as it is stored writes nothing and spends no sequence")
  func idempotent() throws {
    let push = request(nil, water(1), water(2))
    let first = try store.exchange(kim, push)
    let again = try store.exchange(kim, push, at: noon + 1000)
    #expect(again.cursor == first.cursor)
    #expect(again.records.isEmpty && again.superseded.isEmpty && again.refusals.isEmpty)
  }

  @Test("an offer to a record that rotted is refused, and nothing is written over what is left")
  func rottenRecord() throws {
    let account = kim
    _ = try store.exchange(kim, request(nil, water(1)))
    for body in [water(2).encoded, [0xFF]] {
      try store.transaction { transaction throws(StoreError) in
        try transaction.overwrite(
          water(1).key.storageKey, by: StoredRecord(sequence: 1, body: body), of: account)
      }
      let answer = try store.exchange(kim, request(nil, water(1), water(3)))
      #expect(answer.refusals.map(\.reason) == [.damaged] && answer.refusals.map(\.index) == [0])
      let stored = try store.transaction { transaction throws(StoreError) in
        try transaction.record(water(1).key.storageKey, of: account)
      }
      #expect(stored?.body == body)
    }
  }

  @Test(
    "a record that rotted is left out of the feed, wherever it is in a page, and the cursor passes it"
  )
  func rottenFeed() throws {
    let account = kim
    let count = Page.records + 3
    for start in stride(from: 0, to: count, by: 500) {
      let page = (start..<min(start + 500, count)).map { offer(water($0)) }
      _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: page))
    }
    // The first record, the first one of the second page, and the last.
    let rotten = [0, Page.records + 1, count - 1]
    try store.transaction { transaction throws(StoreError) in
      for number in rotten {
        try transaction.overwrite(
          water(number).key.storageKey,
          by: StoredRecord(sequence: UInt64(number + 1), body: [0xFF]), of: account)
      }
    }
    var received: [[UInt8]] = []
    var answer = try store.exchange(kim, request())
    received += answer.records
    while answer.more {
      answer = try store.exchange(kim, request(answer.cursor))
      received += answer.records
    }
    #expect(received == (0..<count).filter { !rotten.contains($0) }.map { water($0).encoded })
    #expect(answer.cursor.sequence == UInt64(count))
  }

  @Test("heads that cannot be are damage that is told, not a trap")
  func damagedRows() throws {
    let account = kim
    for head in [UInt64.max, 1 << 63, UInt64(Int64.max)] {
      try store.transaction { transaction throws(StoreError) in
        try transaction.setHead(head, of: account)
      }
      let damage = #expect(throws: StoreError.self) {
        try store.exchange(kim, request(nil, water(3)))
      }
      #expect(damage?.isFatal == true)
    }
  }

  @Test("a request whose every offer is refused counts for what it holds while it waits")
  func costOfRefusals() {
    let request = ExchangeRequest(
      cursor: nil, offers: Array(repeating: [0xFF], count: Page.records))
    let prepared = PreparedExchange(request)
    #expect(prepared.refusals.count == Page.records)
    #expect(prepared.costBytes >= 100 * Page.records)
  }

  @Test("a changed record moves to the end of the feed, once")
  func changedRecord() throws {
    let start = try store.exchange(kim, request(nil, water(1), water(2))).cursor
    let edited = water(1, millilitres: 300, at: noon + 5, replacing: stamp(noon, phone))
    let answer = try store.exchange(kim, request(start, edited))
    #expect(answer.cursor.sequence == 3 && answer.records.isEmpty)
    #expect(
      try store.exchange(kim, request()).records == [water(2).encoded, edited.encoded])
  }

  @Test(
    "of two concurrent writes the later wins whichever comes first, and the other is journalled once"
  )
  func conflictBothOrders() throws {
    let sam = try store.makeAccount("sam")
    let early = water(1, millilitres: 100, at: noon, by: phone)
    let late = water(1, millilitres: 200, at: noon + 10, by: tablet)
    for (account, order) in [(kim, [early, late]), (sam, [late, early])] {
      _ = try store.exchange(account, request(nil, order[0]), at: noon + 20)
      let second = try store.exchange(account, request(nil, order[1]), at: noon + 20)
      // Sent again, it finds its conflict in the journal.
      let third = try store.exchange(account, request(second.cursor, order[1]), at: noon + 30)
      #expect(third.cursor == second.cursor && third.records.isEmpty)
      #expect(second.superseded == (order[1] == early ? [0] : []))
      let records = try store.exchange(account, request()).decodedRecords
      #expect(records.count == 2 && records.contains(late))
      let entry = try Conflict(try #require(records.first { $0.key.kind == .conflict }))
      #expect(entry.lost == early[WaterField.intake])
      #expect(entry.kept == late[WaterField.intake])
      #expect(entry.noticed == WallTime(milliseconds: noon + 20))
    }
  }

  @Test("whoever loses is told of the record and of its journal entry in the same answer")
  func loserLearns() throws {
    let late = water(1, millilitres: 200, at: noon + 10, by: tablet)
    let start = try store.exchange(kim, request(nil, late)).cursor
    let answer = try store.exchange(kim, request(start, water(1, millilitres: 100)))
    #expect(answer.superseded == [0])
    #expect(try answer.decodedRecords.map(\.key.kind) == [.conflict])
    #expect(answer.cursor.sequence == 2)
  }

  @Test("a record comes after what the journal says of it, wherever a page ends")
  func entryFirst() throws {
    _ = try store.exchange(kim, request(nil, water(1, millilitres: 100)))
    _ = try store.exchange(
      kim, request(nil, water(1, millilitres: 200, at: noon + 10, by: tablet)), at: noon + 20)
    let records = try store.exchange(kim, request()).decodedRecords
    #expect(records.map(\.key.kind) == [.conflict, .water])
  }

  @Test("an edit that knew what it replaced is no conflict")
  func knownEdit() throws {
    _ = try store.exchange(kim, request(nil, water(1)))
    let edit = water(
      1, millilitres: 400, at: noon + 10, by: tablet, replacing: stamp(noon, phone))
    _ = try store.exchange(kim, request(nil, edit))
    #expect(try store.exchange(kim, request()).records == [edit.encoded])
  }

  @Test("a stamp more than a minute ahead is refused, alone, and nothing of it is kept")
  func clockSkew() throws {
    let ahead = water(1, at: noon + 60_001)
    let answer = try store.exchange(kim, request(nil, ahead, water(2, at: noon + 60_000)))
    #expect(answer.refusals.map(\.reason) == [.clockSkew])
    #expect(answer.refusals.map(\.index) == [0])
    #expect(try store.exchange(kim, request()).records == [water(2, at: noon + 60_000).encoded])
  }

  @Test("a stamp that was taken before is not judged again, however the server's clock goes")
  func judgedOnce() throws {
    let record = water(1, at: noon)
    _ = try store.exchange(kim, request(nil, record))
    let hourEarlier = noon - 3_600_000
    #expect(try store.exchange(kim, request(nil, record), at: hourEarlier).refusals.isEmpty)
    let edit = water(1, millilitres: 300, at: hourEarlier + 61_000, by: tablet)
    // It loses and changes nothing, so it is not refused.
    #expect(try store.exchange(kim, request(nil, edit), at: hourEarlier).refusals.isEmpty)
  }

  @Test("an offer that breaks a rule is refused by its index; the others are taken")
  func invalid() throws {
    let tooMuch = water(3, millilitres: 250)
    var broken = tooMuch
    broken.set(
      Register(
        field: WaterField.intake, stamp: stamp(noon, phone), value: [0x12, 0x02, 0x10, 0x01]))
    let large = Record(
      key: RecordKey(kind: RecordKind(rawValue: 900), id: [1]),
      registers: (2...6).map {
        Register(field: $0, stamp: stamp(noon, phone), value: [UInt8](repeating: 7, count: 15_000))
      })
    let long = Record(
      key: RecordKey(kind: RecordKind(rawValue: 900), id: [2]),
      registers: [
        Register(field: 2, stamp: stamp(noon, phone), value: [UInt8](repeating: 7, count: 17_000))
      ])
    let offers = [
      [0xFF, 0xFF], offer(water(1)), offer(broken), offer(try #require(large)), offer(water(2)),
      offer(try #require(long)),
    ]
    let answer = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: offers))
    #expect(answer.refusals.map(\.index) == [0, 2, 3, 5])
    #expect(answer.refusals.map(\.reason) == [.invalid, .invalid, .tooLarge, .tooLarge])
    #expect(try store.exchange(kim, request()).records == [water(1).encoded, water(2).encoded])
  }

  @Test("of two of the longest values that meet, the one that loses is in the journal")
  func longest() throws {
    func written(_ time: Int64, _ byte: UInt8, by device: ReplicaID) throws -> [UInt8] {
      let register = Register(
        field: 2, stamp: stamp(time, device),
        value: [UInt8](repeating: byte, count: Record.Limits.valueBytes))
      let record = try #require(
        Record(key: RecordKey(kind: RecordKind(rawValue: 900), id: [3]), registers: [register]))
      return Offer(record: record, written: [2]).encoded
    }
    for (time, device) in [(noon, phone), (noon + 1, tablet)] {
      let offer = try written(time, UInt8(truncatingIfNeeded: device.rawValue), by: device)
      let request = ExchangeRequest(cursor: nil, offers: [offer])
      #expect(try store.exchange(kim, request, by: device).refusals.isEmpty)
    }
    let entry = try store.exchange(kim, request()).decodedRecords.first { $0.key.kind == .conflict }
    #expect(try Conflict(#require(entry)).lost.stamp == stamp(noon, phone))
  }

  @Test("two records that fit, and whose merge would not, do not make one that nobody can read")
  func mergedTooLarge() throws {
    func half(_ fields: ClosedRange<UInt32>) throws -> Record {
      try #require(
        Record(
          key: RecordKey(kind: RecordKind(rawValue: 900), id: [1]),
          registers: fields.map { Register(field: $0, stamp: stamp(noon, phone), value: [1]) }))
    }
    _ = try store.exchange(kim, request(nil, try half(16...55)))
    let answer = try store.exchange(kim, request(nil, try half(56...95)))
    #expect(answer.refusals.map(\.reason) == [.tooLarge])
    #expect(try store.exchange(kim, request()).decodedRecords == [try half(16...55)])
  }

  @Test("kinds and fields that this build does not know are kept unchanged")
  func unknownKinds() throws {
    let record = try #require(
      Record(
        key: RecordKey(kind: RecordKind(rawValue: 4_000_000_000), id: [9]),
        registers: [Register(field: 500, stamp: stamp(noon, phone), value: [1, 2, 3])]))
    _ = try store.exchange(kim, request(nil, record))
    #expect(try store.exchange(kim, request()).decodedRecords == [record])
  }

  @Test("pages are cut at a thousand records, and go on where they ended")
  func pageOfRecords() throws {
    for start in stride(from: 0, to: 2500, by: 500) {
      let offers = (start..<start + 500).map { offer(water($0)) }
      _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: offers))
    }
    var cursor: Cursor?
    var sizes: [Int] = []
    var seen: Set<[UInt8]> = []
    while true {
      let page = try store.exchange(kim, request(cursor))
      sizes.append(page.records.count)
      seen.formUnion(page.records)
      cursor = page.cursor
      if !page.more { break }
    }
    #expect(sizes == [1000, 1000, 500])
    #expect(seen.count == 2500)
    #expect(cursor?.sequence == 2500)
  }

  @Test("pages are cut by size, so that an answer fits a message whatever was refused")
  func pageOfBytes() throws {
    for number in 0..<12 {
      let record = Record(
        key: RecordKey(kind: RecordKind(rawValue: 900), id: [UInt8(number)]),
        registers: (2...5).map {
          Register(
            field: $0, stamp: stamp(noon, phone), value: [UInt8](repeating: 7, count: 16_000))
        })
      let answer = try store.exchange(kim, request(nil, try #require(record)))
      #expect(answer.refusals.isEmpty)
    }
    let bad = [[UInt8]](repeating: [0xFF], count: 1000)
    var cursor: Cursor?
    var count = 0
    for _ in 0..<20 {
      let page = try store.exchange(kim, ExchangeRequest(cursor: cursor, offers: bad))
      #expect(page.encoded.count <= 256 * 1024)
      #expect(!page.records.isEmpty)
      count += page.records.count
      cursor = page.cursor
      if !page.more { break }
    }
    #expect(count == 12)
  }

  @Test("accounts with the same record ids do not meet")
  func isolation() throws {
    let sam = try store.makeAccount("sam")
    _ = try store.exchange(kim, request(nil, water(1, millilitres: 100)))
    let answer = try store.exchange(sam, request(nil, water(1, millilitres: 200, at: noon + 1)))
    #expect(answer.cursor.sequence == 1 && answer.records.isEmpty && answer.superseded.isEmpty)
    #expect(try store.exchange(kim, request()).records == [water(1, millilitres: 100).encoded])
  }

  @Test("one record offered twice in one request is merged in order")
  func twiceInOneRequest() throws {
    let edit = water(1, millilitres: 300, at: noon + 1, replacing: stamp(noon, phone))
    let answer = try store.exchange(kim, request(nil, water(1), edit))
    #expect(answer.cursor.sequence == 2 && answer.records.isEmpty)
    #expect(try store.exchange(kim, request()).records == [edit.encoded])
  }
}
