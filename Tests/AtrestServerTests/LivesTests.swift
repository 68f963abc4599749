// SPDX-License-Identifier: Apache-2.0
// Which places devices may go on from, after copies were put back and commits were lost.

import Foundation
import GRDB
import Replication
import SyncProtocol
import TestSupport
import Testing

@testable import AtrestServer

@Suite struct LivesTests {
  typealias Place = SyncProtocol.Cursor

  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  @Test("a device goes on where it stood when the server was started again")
  func restart() throws {
    var store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    store.close()
    store = try openStore(folder)
    defer { store.close() }
    _ = try store.exchange(kim, request(nil, water(2)))
    let answer = try store.exchange(kim, ExchangeRequest(cursor: start, seen: start))
    #expect(!answer.restarted)
    #expect(answer.records == [water(2).encoded])
    #expect(answer.cursor == Place(epoch: store.epoch, sequence: 2) && answer.head == 2)
    // An older life and this one, side by side.
    #expect(try !store.exchange(kim, request(answer.cursor)).restarted)
    #expect(try !store.exchange(kim, request(start)).restarted)
  }

  @Test("whoever saw more than the copy holds is told so, however much was written to it since")
  func copyPutBack() throws {
    var store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    let before = try store.exchange(kim, request(nil, water(1))).cursor
    store.close()
    try FileManager.default.copyItem(atPath: folder.data, toPath: folder.path("copy"))
    store = try openStore(folder)
    let oldLife = store.epoch
    let lost = try store.exchange(kim, request(before, water(2))).cursor
    store.close()
    var epoch: UInt64 = 500
    store = try SQLiteStore(directory: folder.path("copy")) {
      epoch += 1
      return epoch
    }
    defer { store.close() }
    #expect(try store.exchange(kim, request(lost)).restarted)
    for number in 10..<15 { _ = try store.exchange(kim, request(nil, water(number))) }
    let answer = try store.exchange(kim, request(lost))
    #expect(answer.restarted && answer.records.count == 6 && answer.head == 6)
    #expect(try store.exchange(kim, request(Place(epoch: oldLife, sequence: 0))).restarted)
    // One that stood where the copy was taken is served on.
    let other = try store.exchange(kim, request(before))
    #expect(!other.restarted && other.records.count == 5)
  }

  @Test("what was acknowledged is judged, not only what was pulled")
  func seenBeyondCursor() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    let tooFar = Place(epoch: start.epoch, sequence: 2)
    let answer = try store.exchange(kim, ExchangeRequest(cursor: start, seen: tooFar))
    #expect(answer.restarted && answer.records == [water(1).encoded])
    let foreign = Place(epoch: 5, sequence: 0)
    #expect(try store.exchange(kim, ExchangeRequest(cursor: start, seen: foreign)).restarted)
    #expect(try store.exchange(kim, ExchangeRequest(cursor: nil, seen: foreign)).restarted)
    #expect(try !store.exchange(kim, ExchangeRequest(cursor: nil, seen: start)).restarted)
  }

  @Test("what a request itself brings does not make good a place beyond the head")
  func ownOffers() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    let tooFar = Place(epoch: start.epoch, sequence: 2)
    let answer = try store.exchange(kim, request(tooFar, water(2)))
    #expect(answer.restarted && answer.head == 2 && answer.refusals.isEmpty)
  }

  @Test("the head is told, however far the page reaches")
  func head() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    for start in [0, 600] {
      let offers = (start..<start + 600).map { offer(water($0)) }
      _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: offers))
    }
    let page = try store.exchange(kim, request())
    #expect(page.more && page.cursor.sequence == 1000 && page.head == 1200)
  }

  @Test("an epoch that was had before is drawn again; one that cannot be is an error")
  func taken() throws {
    try SQLiteStore(directory: folder.data) { 5 }.close()
    var draws: [UInt64] = [5, 0, 9]
    let store = try SQLiteStore(directory: folder.data) { draws.removeFirst() }
    #expect(store.epoch == 1)
    store.close()
    #expect(throws: StoreError.self) { _ = try SQLiteStore(directory: folder.data) { 5 } }
  }

  @Test("lives are remembered up to a bound, and older places start over")
  func bounded() throws {
    var store = try SQLiteStore(directory: folder.data) { 1 }
    let kim = try store.makeAccount("kim")
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    store.close()
    try edit(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Life.remembered - 2))
      INSERT INTO life (epoch) SELECT 1000000 + i FROM n
      """)
    store = try SQLiteStore(directory: folder.data) { 2 }
    #expect(try !store.exchange(kim, request(start)).restarted)
    store.close()
    store = try SQLiteStore(directory: folder.data) { 3 }
    #expect(try store.exchange(kim, request(start)).restarted)
    #expect(
      try !store.exchange(kim, request(Place(epoch: 1_000_001, sequence: 1))).restarted)
    store.close()
    #expect(try number("SELECT count(*) FROM life") == Int(Life.remembered))
    #expect(try number("SELECT count(*) FROM life_start") == 0)
  }

  private func edit(_ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.data + "/atrest.db")
    try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    try queue.close()
  }

  private func number(_ sql: String) throws -> Int? {
    let queue = try DatabaseQueue(path: folder.data + "/atrest.db")
    defer { try? queue.close() }
    return try queue.read { db in try Int.fetchOne(db, sql: sql) }
  }
}
