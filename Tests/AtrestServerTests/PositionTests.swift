// SPDX-License-Identifier: Apache-2.0
// Which cursors devices can continue from after a restore or lost commits.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct PositionTests {
  typealias Position = AtrestReplication.Cursor

  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  @Test("a device goes on from its position when the server was started again")
  func restart() throws {
    var store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    var known = [try store.exchange(kim, request(nil, water(1))).cursor]
    for number in 2...4 {
      store.close()
      store = try openStore(folder)
      known.append(try store.exchange(kim, request(known[0], water(number))).cursor)
    }
    defer { store.close() }
    let all = (1...4).map { water($0).encoded }
    for (index, position) in known.enumerated() {
      let answer = try store.exchange(
        kim, ExchangeRequest(cursor: position))
      #expect(!answer.restarted && answer.records == Array(all.dropFirst(index + 1)))
      #expect(answer.cursor == known.last && answer.head == known.last)
    }
  }

  @Test("whoever saw more than the copy holds is told so, however much was written to it since")
  func copyPutBack() throws {
    var store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    let before = try store.exchange(kim, request(nil, water(1))).cursor
    store.close()
    try FileManager.default.copyItem(atPath: folder.data, toPath: folder.path("copy"))
    store = try openStore(folder)
    let lost = try store.exchange(kim, request(before, water(2))).cursor
    store.close()
    store = try openStore(folder.path("copy"))
    defer { store.close() }
    #expect(try store.exchange(kim, request(lost)).restarted)
    for number in 10..<15 {
      _ = try store.exchange(kim, request(nil, water(number)))
      #expect(try store.exchange(kim, request(lost)).restarted)
    }
    let answer = try store.exchange(kim, request(lost))
    #expect(answer.records.count == 6 && answer.head.sequence == 6)
    #expect(try !store.exchange(kim, request(answer.cursor)).restarted)
    // A device whose cursor predates the copy is served normally.
    let other = try store.exchange(kim, request(before))
    #expect(!other.restarted && other.records.count == 5)
  }

  /// Record 1 was edited after the copy was made, so that a pull meets it at the end only.
  @Test("a device in the middle of a pull learns of a loss by the head that it was told")
  func lostDuringAPull() throws {
    var store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    _ = try store.exchange(kim, request(nil, water(1), water(2), water(3)), by: tablet)
    store.close()
    try FileManager.default.copyItem(atPath: folder.data, toPath: folder.path("copy"))
    store = try openStore(folder)
    let edited = water(1, millilitres: 300, at: noon + 9, replacing: stamp(noon, phone))
    _ = try store.exchange(kim, request(nil, edited), by: tablet)
    let page = try store.exchange(
      kim, ExchangeRequest(cursor: nil), limits: ExchangeLimits(pageRecords: 1))
    #expect(page.more && page.records == [water(2).encoded])
    store.close()
    store = try openStore(folder.path("copy"))
    defer { store.close() }
    let blind = try store.exchange(kim, ExchangeRequest(cursor: page.cursor))
    #expect(!blind.restarted && blind.records == [water(3).encoded], "record 1 is passed over")
    let seeing = ExchangeRequest(cursor: page.cursor, lastKnownHead: page.head)
    #expect(try store.exchange(kim, seeing).restarted)
  }

  /// The store was not reopened, so names drawn per start would be the same on both sides.
  @Test("a store that lost its last commit under a running server, and made another in its place")
  func lostCommit() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let before = try store.exchange(kim, request(nil, water(1))).cursor
    let lost = try store.exchange(kim, request(before, water(2))).cursor
    try store.transaction { t throws(StoreError) in
      try edit(
        t,
        """
        DELETE FROM record WHERE sequence = 2; DELETE FROM feed_commit WHERE sequence = 2;
        UPDATE account SET head = 1, records = 1;
        """)
    }
    #expect(try store.exchange(kim, request(lost)).restarted)
    let another = try store.exchange(kim, request(before, water(3)))
    #expect(another.cursor.sequence == lost.sequence && another.cursor != lost)
    #expect(!another.restarted)
    let answer = try store.exchange(kim, request(lost))
    #expect(answer.restarted && answer.records == [water(1).encoded, water(3).encoded])
    #expect(answer.cursor == another.cursor)
    #expect(try !store.exchange(kim, request(before)).restarted)
  }

  @Test("a position is good for the account that gave it")
  func ofEachAccount() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    let cursors = try [kim, sam].map { try store.exchange($0, request(nil, water(1))).cursor }
    #expect(cursors[0].sequence == cursors[1].sequence)
    #expect(try store.exchange(kim, request(cursors[1])).restarted)
    #expect(try store.exchange(sam, request(cursors[0])).restarted)
  }

  @Test("another name, or a sequence beyond the head, starts over", arguments: [(1, 1), (0, 2)])
  func unknown(nameOff: Int, sequence: Int) throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let good = try store.exchange(kim, request(nil, water(1))).cursor
    let bad = Position(
      commit: good.commit &+ UInt64(nameOff), sequence: UInt64(sequence))
    let answer = try store.exchange(kim, request(bad))
    #expect(answer.restarted && answer.records == [water(1).encoded])
    #expect(answer.cursor == good)
    #expect(try !store.exchange(kim, request(answer.cursor)).restarted)
  }

  @Test("before the first commit there is one position, and everybody may go on from it")
  func start() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    #expect(try store.exchange(kim, request(.start)).cursor == .start)
    _ = try store.exchange(kim, request(.start, water(1)))
    let answer = try store.exchange(kim, request(.start))
    #expect(!answer.restarted && answer.records == [water(1).encoded])
    #expect(try store.exchange(kim, request(Position(commit: 5, sequence: 0))).restarted)
  }

  @Test("nothing is compared with a device that saw what is lost")
  func comparison() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    let now = WallTime(milliseconds: noon)
    func answer(_ head: Position?) throws -> ReconcileResponse {
      let everything = KeyRange(end: [], content: .items([]))
      return try store.reconcile(
        ReconcileRequest(ranges: [everything], cursor: head), account: kim, at: now)
    }
    for lost in [Position(commit: start.commit, sequence: 2), Position(commit: 5, sequence: 1)] {
      #expect(try answer(lost) == ReconcileResponse(ranges: [], serverTime: now, restarted: true))
    }
    for known in [start, nil] {
      let answer = try answer(known)
      #expect(!answer.restarted && answer.records == [water(1).encoded])
    }
  }

  @Test("what a request itself brings does not make a position beyond the head good")
  func ownOffers() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let start = try store.exchange(kim, request(nil, water(1))).cursor
    let tooFar = Position(commit: start.commit, sequence: 2)
    let answer = try store.exchange(kim, request(tooFar, water(2)))
    #expect(answer.restarted && answer.head.sequence == 2 && answer.refusals.isEmpty)
  }

  @Test("nor does what others bring in the same commit, whose name nobody can know yet")
  func sameCommit() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let answers = try exchange(
      store, kim, commit: 42,
      [request(nil, water(1)), request(Position(commit: 42, sequence: 1), water(2))])
    #expect(answers.map(\.restarted) == [false, true])
    #expect(answers.map(\.head) == (1...2).map { Position(commit: 42, sequence: $0) })
  }

  @Test("a page that ends in the middle of a commit is gone on from, also when it is an old one")
  func middleOfCommit() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let requests = (0..<3).map { part in
      ExchangeRequest(
        cursor: nil, offers: (part * 600..<part * 600 + 600).map { offer(water($0)) })
    }
    _ = try exchange(store, kim, commit: 42, requests)
    let page = try store.exchange(kim, request())
    #expect(page.more && page.cursor == Position(commit: 42, sequence: 1000))
    #expect(page.head == Position(commit: 42, sequence: 1800))
    _ = try store.exchange(kim, request(nil, water(5000)))
    let rest = try store.exchange(
      kim, ExchangeRequest(cursor: page.cursor))
    #expect(!rest.restarted && !rest.more && rest.records.count == 801)
    #expect(rest.cursor.sequence == 1801 && rest.cursor.commit != 42)
  }

  @Test("a page of an account whose names went has the name of a later commit, and is good, too")
  func middleOfPrunedNames() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    var heads: [Position] = []
    for start in stride(from: 0, to: 1500, by: 500) {
      let offers = (start..<start + 500).map { offer(water($0)) }
      heads.append(try store.exchange(kim, ExchangeRequest(cursor: nil, offers: offers)).head)
    }
    let known = try store.exchange(kim, request(heads[0])).cursor
    try store.transaction { t throws(StoreError) in try t.accounts.pruneCommits(of: kim, keeping: 1)
    }
    #expect(try store.exchange(kim, request(heads[0])).restarted)
    #expect(try !store.exchange(kim, request(known)).restarted)
    let page = try store.exchange(kim, request())
    #expect(page.more && page.cursor == Position(commit: heads[2].commit, sequence: 1000))
    let rest = try store.exchange(kim, request(page.cursor))
    #expect(!rest.restarted && rest.records.count == 500)
  }

  @Test("the head is told, however far the page reaches")
  func head() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    var last = Position.start
    for start in [0, 600] {
      let offers = (start..<start + 600).map { offer(water($0)) }
      last = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: offers)).head
    }
    let page = try store.exchange(kim, request())
    #expect(page.more && page.cursor.sequence == 1000)
    #expect(page.head == last && last.sequence == 1200)
  }

  @Test("commits have names of their own, and none is zero")
  func names() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    #expect(try exchange(store, kim, commit: 0, [request(nil, water(0))])[0].head.commit == 1)
    let heads = try (1...20).map { try store.exchange(kim, request(nil, water($0))).head }
    #expect(Set(heads.map(\.commit)).count == 20)
    // A transaction that assigns no sequence is not a commit.
    #expect(try exchange(store, kim, commit: 42, [request(nil, water(20))])[0].head == heads.last)
  }

  @Test("an account whose last commit has no name is damage that is told")
  func nameless() throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    _ = try store.exchange(kim, request(nil, water(1)))
    try store.transaction { t throws(StoreError) in try edit(t, "DELETE FROM feed_commit") }
    let damage = #expect(throws: StoreError.self) { try store.exchange(kim, request()) }
    #expect(damage?.isFatal == true)
  }

  /// Runs exchanges in one commit.
  private func exchange(
    _ store: SQLiteStore, _ account: AccountID, commit: UInt64, _ requests: [ExchangeRequest]
  ) throws -> [ExchangeResponse] {
    let prepared = requests.map { PreparedExchange($0) }
    return try store.transaction { t throws(StoreError) in
      let feed = try AccountFeed(
        account: account, in: t, commit: commit, at: WallTime(milliseconds: noon))
      var answers: [ExchangeResponse] = []
      for request in prepared {
        answers.append(
          try Exchange.run(
            request, device: phone, feed: feed, now: WallTime(milliseconds: noon)))
      }
      try feed.finish()
      return answers
    }
  }

  /// Changes the database as a failing disk or a failover would, without the server's knowledge.
  private func edit(_ transaction: any StoreTransaction, _ sql: String) throws(StoreError) {
    guard let transaction = transaction as? SQLiteTransaction else { throw .closed }
    try transaction.tables.connection.perform { try $0.execute(sql: sql) }
  }
}
