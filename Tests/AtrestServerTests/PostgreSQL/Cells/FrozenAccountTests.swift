// SPDX-License-Identifier: Apache-2.0
// What an account refuses while it is being moved to another cell, and what goes on beside it.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres.Cells {
  @Suite(.timeLimit(.minutes(20))) struct FrozenAccountTests {
    private let interrupted = StoreError.outcomeUnknown(reason: "a test")

    /// Freezes kim's account, and ends there.
    private func freeze(_ cells: TwoCells) async throws {
      let interrupted = interrupted
      await #expect(throws: AccountMoveError.source(interrupted)) {
        try await cells.move { step throws(StoreError) in
          if step == .frozen { throw interrupted }
        }.run("kim")
      }
    }

    @Test("every node refuses to read and to write it, whether it remembers the device or not")
    func refused() async throws {
      let cells = try await TwoCells()
      let remembering = cells.one.nodes[1]
      let known = try #require(await remembering.session(phone).device)
      try await freeze(cells)
      let requests = [request(), request(nil, water(700))]
      for request in requests {
        let error = await #expect(throws: Status.self) {
          try await remembering.exchange(known, request)
        }
        #expect(error?.code == .unavailable)
      }
      for node in cells.one.nodes {
        #expect(await node.lookUp(phone).error == .moving)
        #expect(await node.lookUp(tablet, secret: 2).error == .moving)
        // Who does not have the token learns nothing.
        #expect(await node.lookUp(phone, secret: 2).isRefused)
        for use in [StorageUse.reads, .writes, .clears, .waits] {
          let result = await node.run(by: .account(cells.kim), use) { _ throws(StoreError) in }
          #expect(throws: StoreError.moving) { try result.get() }
        }
      }
      await cells.stop()
    }

    @Test("work of the server's owner that would touch it is refused, and other work is not")
    func owner() async throws {
      let cells = try await TwoCells()
      try await freeze(cells)
      let (node, kim, sam) = (cells.one.nodes[0], cells.kim, cells.sam)
      let before = try await cells.one.dump()
      for work in OwnersWork.allCases {
        let frozen = await node.run(by: .server, .writes) { batch throws(StoreError) in
          try work.run(in: batch, on: kim)
        }
        #expect(throws: StoreError.moving) { try frozen.get() }
      }
      #expect(try await cells.one.dump() == before)
      for work in OwnersWork.allCases {
        let other = await node.run(by: .server, .writes) { batch throws(StoreError) in
          try work.run(in: batch, on: sam)
        }
        #expect(throws: Never.self) { try other.get() }
      }
      await cells.stop()
    }

    @Test("jobs of other accounts go on beside its own, and nothing of it is written")
    func others() async throws {
      let cells = try await TwoCells()
      try await freeze(cells)
      let (node, kim, sam) = (cells.one.nodes[0], cells.kim, cells.sam)
      let before = try await cells.one.digest(kim)
      let rows = try await cells.one.sql("SELECT xmin::text FROM atrest.account WHERE name = 'kim'")
      await withTaskGroup(of: (AccountID, StoreError?).self) { group in
        for number in 0..<60 {
          let account = number.isMultiple(of: 3) ? kim : sam
          group.addTask {
            let result = await node.run(by: .account(account), .writes) {
              batch throws(StoreError) in
              try batch.transaction.events.append([
                NewEvent(.codeMade, of: account, at: WallTime(milliseconds: noon))
              ])
            }
            do throws(StoreError) { try result.get() } catch { return (account, error) }
            return (account, nil)
          }
        }
        for await (account, error) in group { #expect(error == (account == kim ? .moving : nil)) }
      }
      #expect(try await cells.one.digest(kim) == before)
      #expect(
        try await cells.one.sql("SELECT xmin::text FROM atrest.account WHERE name = 'kim'") == rows)
      await cells.stop()
    }

    @Test("a stream on another node ends so that its device calls again, and keeps its access")
    func stream() async throws {
      let cells = try await TwoCells()
      let node = cells.one.nodes[1]
      let session = try #require(await node.session(phone).device)
      let sink = RecordingSink()
      _ = try #require(try node.sync.watch(session, WatchRequest(cursor: nil).encoded, sink: sink))
      _ = try await sink.nextEvent()
      try await freeze(cells)
      #expect(try await sink.finished.next().code == .unavailable)
      #expect(!session.isRevoked)
      await cells.stop()
    }

    @Test("a freeze waits for a write that is under way, which is moved with the rest")
    func waits() async throws {
      let cells = try await TwoCells()
      let order = Recorder<String>()
      let writer = try await cells.one.backend.openSession()
      let (transaction, _) = try await PostgresTransaction.begin(
        [PostgresLocks.statement(for: [cells.kim])], on: writer)
      async let moved = cells.move { step throws(StoreError) in
        if step == .frozen { order.note("frozen") }
      }.run("kim")
      var isWaiting = false
      while !isWaiting, order.all.isEmpty {
        isWaiting = try await !cells.one.sql(
          """
          SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'
          """
        ).isEmpty
      }
      order.note("written")
      _ = try await transaction.commit([
        PostgresStatement(
          "UPDATE atrest.device SET name = 'late' WHERE replica = $1", [.int8(1)])
      ])
      await writer.close()
      _ = try await moved
      #expect(order.all == ["written", "frozen"])
      #expect(
        try await cells.two.sql("SELECT name FROM atrest.device WHERE replica = 1")
          == [[.text("late")]])
      await cells.stop()
    }

    @Test("a name on its way into a cell is taken there, and nothing of the account is found")
    func arriving() async throws {
      let cells = try await TwoCells()
      let interrupted = interrupted
      await #expect(throws: AccountMoveError.self) {
        try await cells.move { step throws(StoreError) in
          if step == .copied(.records) { throw interrupted }
        }.run("kim")
      }
      let node = cells.two.nodes[0]
      #expect(await node.lookUp(phone).isRefused)
      let found = await node.run(by: .server, .writes) { batch throws(StoreError) in
        let accounts = batch.transaction.accounts
        return (
          added: try accounts.add(name: "kim", created: WallTime(milliseconds: noon)),
          id: try accounts.id(named: "kim"), list: try accounts.list(),
          devices: try batch.transaction.devices.list(of: nil)
        )
      }
      let (added, id, list, devices) = try found.get()
      #expect(added == nil && id == nil && list.isEmpty && devices.isEmpty)
      let report = try await cells.two.check()
      #expect(report.isSound && report.accounts == 0 && report.devices == 0)
      await cells.stop()
    }
  }
}

/// Work that no device of the account asks for.
private enum OwnersWork: CaseIterable {
  case feed, list, rename, event, removal

  func run(in batch: Batch, on account: AccountID) throws(StoreError) {
    let transaction = batch.transaction
    switch self {
    case .feed: _ = try batch.feed(of: account)
    case .list: _ = try transaction.devices.list(of: account)
    case .rename: try transaction.devices.rename(account[phone], to: "x")
    case .event:
      try transaction.events.append([
        NewEvent(.codeMade, of: account, at: WallTime(milliseconds: noon))
      ])
    case .removal: try batch.remove(account)
    }
  }
}
