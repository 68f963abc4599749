// SPDX-License-Identifier: Apache-2.0
// What becomes of an account that moves to another cell, wherever its move is interrupted.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres.Cells {
  @Suite(.timeLimit(.minutes(20))) struct AccountMoveTests {
    private let interrupted = StoreError.outcomeUnknown(reason: "a test")

    @Test("everything arrives as it was, page by page, and nothing but events stays behind")
    func whole() async throws {
      let cells = try await TwoCells()
      let steps = Recorder<AccountMove.Step>()
      let before = try await cells.one.digest(cells.kim)
      let report = try await cells.move { step throws(StoreError) in steps.note(step) }.run("kim")
      #expect(steps.all.count { $0 == .copied(.records) } > 3)
      #expect(Set(steps.all.prefix(2)) == [.frozen, .reserved])
      #expect(steps.all.suffix(3) == [.live, .removed, .settled])
      #expect(try await cells.two.account("kim") == report.account)
      #expect(try await cells.two.digest(report.account) == before)
      #expect(report.rows[.devices] == 4 && !report.isResumed && !report.digest.isEmpty)
      for cell in [cells.one, cells.two] {
        let check = try await cell.check()
        #expect(check.isSound && check.accounts == 1)
      }
      for table in ["record", "feed_commit", "device", "purchase", "invitation"] {
        let rows = try await cells.one.sql(
          "SELECT count(*) FROM atrest.\(table) WHERE account = $1", .int8(cells.kim.rawValue))
        #expect(rows == [[.int8(0)]], "\(table)")
      }
      #expect(try await cells.two.sql("SELECT FROM atrest.arrival").isEmpty)
      await cells.stop()
    }

    @Test("a device goes on where it was, with the token that names the old cell")
    func devices() async throws {
      let cells = try await TwoCells()
      let home = cells.one.nodes[1]
      let session = try #require(await home.session(phone).device)
      let first = try await home.exchange(session, request(nil, water(700)))
      _ = try await cells.move().run("kim")
      // Whoever still holds the old session is told to come back, not that its access ended.
      for request in [request(first.cursor), request(first.cursor, water(701))] {
        let error = await #expect(throws: Status.self) { try await home.exchange(session, request) }
        #expect(error?.code == .unavailable)
      }
      for node in cells.one.nodes {
        #expect(await node.session(phone).destination == cells.two.number)
        #expect(await node.session(ReplicaID(rawValue: 77)).isRefused)
      }
      for node in cells.two.nodes {
        #expect(await node.session(phone, secret: 2).isRefused)
        let moved = try #require(await node.session(phone).device)
        let second = try await node.exchange(moved, request(first.cursor, water(702)))
        #expect(!second.restarted)
        #expect(second.cursor.sequence > first.cursor.sequence)
      }
      await cells.stop()
    }

    @Test("a move that is interrupted after each of its commits is finished by the same call")
    func interruptions() async throws {
      let cells = try await TwoCells()
      let before = try await cells.one.digest(cells.kim)
      let interrupted = interrupted
      var seen: [AccountMove.Step] = []
      var report: AccountMove.Report?
      while report == nil {
        let done = Recorder<AccountMove.Step>()
        do throws(AccountMoveError) {
          report = try await cells.move { step throws(StoreError) in
            done.note(step)
            throw interrupted
          }.run("kim")
        } catch {
          #expect(error == .source(interrupted))
          seen += done.all
          if done.all == [.settled] { break }
        }
        // In one cell at most, and in one at least once it is live.
        let here = await cells.one.nodes[0].lookUp(phone)
        let there = await cells.two.nodes[0].lookUp(phone)
        let isLive = seen.contains(.live)
        #expect(here.device == nil && (there.device != nil) == isLive)
        #expect(
          seen.contains(.removed)
            ? here.destination == cells.two.number : here.error == .moving)
      }
      #expect(seen.first == .frozen && seen.suffix(3) == [.live, .removed, .settled])
      #expect(seen.count { $0 == .copied(.records) } > 3)
      let account = try #require(try await cells.two.account("kim"))
      #expect(try await cells.two.digest(account) == before)
      await #expect(throws: AccountMoveError.unknownAccount) { try await cells.move().run("kim") }
      await cells.stop()
    }

    @Test("a move can be cancelled after each commit until the account is live in the target")
    func cancel() async throws {
      let cells = try await TwoCells()
      let interrupted = interrupted
      await #expect(throws: AccountMoveError.notMoving) { try await cells.move().cancel("kim") }
      let before = try await cells.one.dump().filter { $0.key != "invitation" }
      let empty = try await cells.two.dump()
      var (count, isLive) = (1, false)
      while !isLive {
        let done = Recorder<AccountMove.Step>()
        let limit = count
        await #expect(throws: AccountMoveError.source(interrupted)) {
          try await cells.move { step throws(StoreError) in
            done.note(step)
            if done.all.count == limit { throw interrupted }
          }.run("kim")
        }
        isLive = done.all.last == .live
        guard !isLive else { break }
        try await cells.move().cancel("kim")
        #expect(try await cells.one.dump().filter { $0.key != "invitation" } == before)
        #expect(try await cells.two.dump() == empty)
        #expect(await cells.one.nodes[1].session(phone).device != nil)
        count += 1
      }
      #expect(count > 8)
      await #expect(throws: AccountMoveError.isLive) { try await cells.move().cancel("kim") }
      _ = try await cells.move().run("kim")
      await #expect(throws: AccountMoveError.unknownAccount) {
        try await cells.move().cancel("kim")
      }
      await cells.stop()
    }

    @Test("an account that moves back is found in its first cell again, and its chain goes on")
    func thereAndBack() async throws {
      let cells = try await TwoCells()
      let before = try await cells.one.digest(cells.kim)
      let held = try #require(await cells.one.nodes[0].session(phone).device)
      for _ in 0..<2 {
        _ = try await cells.move().run("kim")
        let interrupted = interrupted
        await #expect(throws: AccountMoveError.self) {
          try await cells.move(from: cells.two, to: cells.one) { step throws(StoreError) in
            if step == .copied(.records) { throw interrupted }
          }.run("kim")
        }
        // Until it is live here, the other cell is right.
        #expect(await cells.one.nodes[0].lookUp(phone).destination == cells.two.number)
        #expect(await cells.two.nodes[0].lookUp(phone).error == .moving)
        _ = try await cells.move(from: cells.two, to: cells.one).run("kim")
        #expect(await cells.one.nodes[1].session(phone).device != nil)
        #expect(await cells.two.nodes[1].session(phone).destination == cells.one.number)
        #expect(try await cells.one.sql("SELECT FROM atrest.moved").isEmpty)
      }
      let account = try #require(try await cells.one.account("kim"))
      #expect(account != cells.kim)
      // A node that heard of nothing does not take the old number for an empty account.
      for request in [request(), request(nil, water(700))] {
        let error = await #expect(throws: Status.self) {
          try await cells.one.nodes[0].exchange(held, request)
        }
        #expect(error?.code == .unavailable)
      }
      #expect(try await cells.one.digest(account) == before)
      for cell in [cells.one, cells.two] { #expect(try await cell.check().isSound) }
      await cells.stop()
    }

    // MARK: Refusals

    /// What stands in the way, as SQL in the second cell, and what is said then.
    private static let obstacles: [(sql: [String], error: AccountMoveError)] = [
      (["INSERT INTO atrest.account (id, name, created_ms) VALUES (900, 'kim', 0)"], .nameTaken),
      (
        [
          """
          INSERT INTO atrest.arrival (account, name, from_cell, from_account, stage)
          VALUES (900, 'kim', 3, 1, 2)
          """
        ], .nameTaken
      ),
      (
        [
          "INSERT INTO atrest.account (id, name, created_ms) VALUES (900, 'max', 0)",
          """
          INSERT INTO atrest.device (account, replica, name, token_hash, paired_ms, is_renewed)
          VALUES (900, 9, 'x', '', 0, false)
          """,
        ], .deviceTaken
      ),
      (
        [
          "INSERT INTO atrest.account (id, name, created_ms) VALUES (900, 'max', 0)",
          """
          INSERT INTO atrest.purchase (environment, original, account, since_ms)
          VALUES ('Production', '2', 900, 0)
          """,
        ], .purchaseTaken
      ),
      (
        [
          "INSERT INTO atrest.account (id, name, created_ms) VALUES (900, 'max', 0)",
          "UPDATE atrest.account SET app_account_token = 'kim''s' WHERE id = 900",
        ], .tokenTaken
      ),
      (
        // As a disk does that has no room left.
        [
          """
          CREATE FUNCTION atrest.no_room() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$
          """,
          """
          CREATE TRIGGER no_room BEFORE INSERT ON atrest.record
          FOR EACH STATEMENT EXECUTE FUNCTION atrest.no_room()
          """,
        ], .target(.full)
      ),
      (
        // Something is lost on the way.
        [
          """
          CREATE FUNCTION atrest.lose() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN NEW.history = '\\x00'; RETURN NEW; END $$
          """,
          """
          CREATE TRIGGER lose BEFORE INSERT ON atrest.record
          FOR EACH ROW WHEN (NEW.sequence = 9) EXECUTE FUNCTION atrest.lose()
          """,
        ], .differs([.records])
      ),
    ]

    @Test("what stands in the way is named, and both cells are as they were", arguments: 0..<7)
    func refusals(index: Int) async throws {
      let cells = try await TwoCells()
      let (sql, error) = Self.obstacles[index]
      try await cells.one.sql(
        "UPDATE atrest.account SET app_account_token = 'kim''s' WHERE name = 'kim'")
      for sql in sql { try await cells.two.sql(sql) }
      let before = (try await cells.one.dump(), try await cells.two.dump())
      await #expect(throws: error) { try await cells.move().run("kim") }
      #expect(error.isRefusal)
      var after = try await cells.one.dump()
      // Codes are void once the account was frozen.
      #expect(after["invitation"] == before.0["invitation"] || after["invitation"] == [])
      after["invitation"] = before.0["invitation"]
      #expect(after == before.0)
      #expect(try await cells.two.dump() == before.1)
      #expect(await cells.one.nodes[1].session(phone).device != nil)
      await cells.stop()
    }

    @Test(
      "an unknown account, its own cell, another cell's move, and two moves at once are refused")
    func wrongWords() async throws {
      let cells = try await TwoCells()
      let (one, two) = (cells.one, cells.two)
      await #expect(throws: AccountMoveError.unknownAccount) { try await cells.move().run("a\0b") }
      await #expect(throws: AccountMoveError.sameCell) {
        try await cells.move(from: one, to: one).run("kim")
      }
      let second = Recorder<AccountMoveError>()
      let (inner, entered, ended) = (cells.move(), Recorder<Void>(), Recorder<Void>())
      let other = Task {
        try await entered.next()
        do throws(AccountMoveError) { _ = try await inner.run("kim") } catch {
          second.note(error)
        }
        ended.note(())
      }
      let holder = try await one.backend.openSession()
      let source = MoveSource(holder, to: two.number)
      #expect(try await source.lock(cells.kim))
      entered.note(())
      try await ended.next()
      try await other.value
      #expect(second.all == [.underWay])
      await holder.close()
      try await one.sql("UPDATE atrest.account SET moving_to = 3 WHERE name = 'kim'")
      let elsewhere = AccountMoveError.movesElsewhere(try cell(3))
      await #expect(throws: elsewhere) { try await cells.move().run("kim") }
      await #expect(throws: elsewhere) { try await cells.move().cancel("kim") }
      await cells.stop()
    }

    @Test("whoever lost a move to somebody who cancelled it adds nothing, and makes nothing live")
    func fence() async throws {
      let cells = try await TwoCells()
      let empty = try await cells.two.dump()
      let (source, connection) = (
        try await cells.one.backend.openSession(), try await cells.two.backend.openSession()
      )
      let target = MoveTarget(connection, from: cells.one.number)
      let arrival = try #require(try await target.reserve("kim", for: cells.kim))
      let rows = MovedRows(
        of: cells.kim, shownAs: arrival.account, on: source, TwoCells.pages)
      let page = try await rows.page(of: .devices, after: .start)
      try await target.discard(arrival)
      await #expect(throws: StoreError.self) {
        var late = arrival
        try await target.append(page, .devices, &late)
      }
      await #expect(throws: AccountMoveError.self) {
        _ = try await target.goLive(
          arrival, like: rows, TwoCells.pages)
      }
      #expect(try await cells.two.dump() == empty)
      await source.close()
      await connection.close()
      await cells.stop()
    }

    @Test("a cell that knows of moves is not copied, and is checked as before")
    func copies() async throws {
      let cells = try await TwoCells()
      _ = try await cells.move().run("kim")
      await cells.stop()
      let address = try PostgresAddress(parsing: cells.one.url)
      await #expect(throws: StoreError.hasMoves(path: "\(address)")) {
        _ = try await PostgresArchive.open(address, for: .source, limits: .patient) { 76 }
      }
    }

    // MARK: While devices write

    @Test(
      "devices that write while their account moves there and back lose nothing, and keep access",
      arguments: seeds(2))
    func writing(seed: UInt64) async throws {
      let cells = try await TwoCells()
      let moved = Recorder<Void>()
      // The last one is sam's, whose account stays and never waits.
      let writers = [
        (phone, UInt8(1), 1000), (tablet, 2, 2000), (ReplicaID(rawValue: .max - 1), 9, 3000),
      ]
      let taken = try await withThrowingTaskGroup(of: [Int].self) { group in
        for (index, (replica, secret, first)) in writers.enumerated() {
          group.addTask {
            var writer = Writer(
              replica: replica, secret: secret, cells: [cells.one, cells.two],
              mayWait: index < 2, random: SeededRandom(seed: seed &+ UInt64(index)))
            var number = first
            // A last one after the move, and a bound for a machine on which moving takes long.
            while true {
              let isLast = !moved.all.isEmpty || number == first + 400
              try await writer.write(number)
              number += 1
              if isLast { return writer.taken }
            }
          }
        }
        for _ in 0..<2 {
          _ = try await cells.move().run("kim")
          _ = try await cells.move(from: cells.two, to: cells.one).run("kim")
        }
        _ = try await cells.move().run("kim")
        moved.note(())
        var taken: Set<Int> = []
        for try await numbers in group { taken.formUnion(numbers) }
        return taken
      }
      var held: Set<Int> = []
      for cell in [cells.one, cells.two] {
        let rows = try await cell.sql("SELECT key FROM atrest.record ORDER BY account, sequence")
        let keys = Set(rows.compactMap { $0.first?.bytea })
        held.formUnion(taken.filter { keys.contains(water($0).key.storageKey) })
        #expect(try await cell.check().isSound)
      }
      #expect(taken.count > 3 && taken.subtracting(held).isEmpty)
      await cells.stop()
    }
  }
}

/// A device that writes records, and finds its account by what it is told.
private struct Writer {
  let replica: ReplicaID
  let secret: UInt8
  let cells: [TestCell]
  let mayWait: Bool
  var random: SeededRandom
  private(set) var taken: [Int] = []
  private var cursor: Cursor?

  init(
    replica: ReplicaID, secret: UInt8, cells: [TestCell], mayWait: Bool, random: SeededRandom
  ) {
    (self.replica, self.secret, self.cells, self.random) = (replica, secret, cells, random)
    self.mayWait = mayWait
  }

  /// Sends a record until it was taken.
  mutating func write(_ number: Int) async throws {
    while true {
      guard let (node, session) = try await find() else { continue }
      do throws(Status) {
        let response = try await node.exchange(session, request(cursor, water(number, by: replica)))
        #expect(!response.restarted && response.refusals.isEmpty)
        cursor = response.cursor
        taken.append(number)
        return
      } catch {
        // Any other would end a device's access, or lose its write.
        guard error.code == .unavailable, mayWait else { throw error }
      }
    }
  }

  /// The node that serves it, from the cell of its token on; nil if none does at the moment.
  private mutating func find() async throws -> (CellNode, DeviceSession)? {
    var cell = cells[0]
    for _ in cells {
      let node = cell.nodes[Int.random(in: 0...1, using: &random)]
      switch await node.session(replica, secret: secret) {
      case .success(.device(let session)): return (node, session)
      case .success(.moved(let number)): cell = cells[number == cells[0].number ? 0 : 1]
      case .failure(.moving): return nil
      case .success(.refused): throw Unforeseen()
      case .failure(let error): throw error
      }
    }
    return nil
  }
}
