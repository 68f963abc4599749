// SPDX-License-Identifier: Apache-2.0
// Servers of one database: what they tell each other, and what they believe while nobody tells.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Dispatch
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct News {
    private let world = World()
    private let database: PostgresDatabase
    private let account: AccountID

    init() throws {
      database = try PostgresDatabase()
      let store = try database.openStore()
      account = try store.makeAccount("kim")
      try store.makeDevice(phone, account)
      try store.makeDevice(tablet, account)
      store.close()
    }

    private func daemon(listens: Bool = true) async throws -> ListeningDaemon {
      try await ListeningDaemon(database, world, listens: listens)
    }

    /// Ends the access of the tablet, and tells nobody.
    private func revokeSilently() async throws {
      let connection = try await database.open()
      try await connection.run(
        "UPDATE atrest.device SET revoked_ms = $1 WHERE replica = 2", .int8(noon))
    }

    /// Ends sessions by the statement that they ran last.
    private func endSessions(like query: String) async throws {
      let connection = try await database.open()
      try await connection.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE $1
        """, .text(query))
    }

    @Test("news are told again when the session that tells was lost, and before a server stops")
    func toldAgain() async throws {
      let (a, b) = (try await daemon(listens: false), try await daemon())
      a.backend.queue.announce([.pairing("one")])
      #expect(try await b.heard.next() == .pairing("one"))
      try await endSessions(like: "%pg_notify%")
      a.backend.queue.announce([.pairing("two")])
      #expect(try await b.heard.next() == .pairing("two"))
      a.backend.queue.announce([.pairing("three")])
      await a.stop()
      #expect(try await b.heard.next() == .pairing("three"))
      await b.stop()
      await database.stop()
    }

    @Test("shards that are busy with rows keep nobody from hearing")
    func ownShard() async throws {
      let (a, b) = (try await daemon(listens: false), try await daemon())
      let release = DispatchSemaphore(value: 0)
      for shard in b.backend.queue.shards { shard.async { release.wait() } }
      a.backend.queue.announce([.pairing("one")])
      let heard = try await b.heard.next()
      for _ in b.backend.queue.shards { release.signal() }
      #expect(heard == .pairing("one"))
      for daemon in [a, b] { await daemon.stop() }
      await database.stop()
    }

    @Test("who acknowledges what is there already tells of it: its commit may have told nobody")
    func repeated() async throws {
      let store = try database.openStore()
      // A server that lost the answer to its COMMIT.
      let head = try store.exchange(account, request(nil, water(1))).cursor
      store.close()
      let payloads = Signal<String>()
      let listener = PostgresListener(
        to: "atrest", at: try PostgresAddress(parsing: database.url), on: database.shard,
        limits: .patient
      ) { event in
        switch event {
        case .heard(let payload): payloads.send(payload)
        case .alive: payloads.send("alive")
        case .lost: break
        }
      }
      await listener.start()
      #expect(try await payloads.next() == "alive")
      let a = try await daemon(listens: false)
      let session = try await a.session(phone)
      // The first one was told of before the second one is answered.
      for _ in 0..<2 {
        let answer = try await a.exchange(session, request(nil, water(1)))
        #expect(answer.cursor == head)
      }
      a.backend.queue.announce([.pairing("end")])
      var told: [StoreNews] = []
      while !told.contains(.pairing("end")) {
        told += WaitingNews.read(try await payloads.next(), unlessFrom: "")
      }
      #expect(told.contains(.head(account, head)))
      await a.stop()
      await listener.stop()
      await database.stop()
    }

    @Test("whoever may notify can say what he likes: access ends by the store's word alone")
    func forged() async throws {
      let a = try await daemon()
      let (kim, tab) = (try await a.session(phone), try await a.session(tablet))
      let sink = try a.watch(tab)
      _ = try await sink.nextEvent()
      try await revokeSilently()
      let connection = try await database.open()
      try await connection.run("SELECT pg_notify('atrest', 'r1;r2;x\(account.rawValue)')")
      #expect(try await sink.finished.next() == .unknownDevice)
      #expect(tab.isRevoked && !kim.isRevoked)
      #expect(try await a.session(phone) === kim)
      await a.stop()
      await database.stop()
    }

    @Test("a stream is opened by what the store says, not by what memory still believes")
    func watchAsks() async throws {
      let a = try await daemon(listens: false)
      let tab = try await a.session(tablet)
      try await revokeSilently()
      let sink = try a.watch(tab)
      try await waitUntil { !sink.sent.all.isEmpty || !sink.finished.all.isEmpty }
      #expect(sink.finished.all == [.unknownDevice] && sink.sent.all.isEmpty)
      await a.stop()
      await database.stop()
    }

    @Test("a server that hears nobody gives a stream no records, which are for devices with access")
    func noRecords() async throws {
      let deaf = try await daemon(listens: false)
      var sink = try deaf.watch(try await deaf.session(tablet))
      _ = try await sink.nextEvent()
      let answer = try await deaf.exchange(try await deaf.session(phone), request(nil, water(1)))
      let hint = try await sink.nextEvent()
      #expect(hint.cursor == answer.cursor && hint.records.isEmpty)
      await deaf.stop()
      let a = try await daemon()
      sink = try a.watch(try await a.session(tablet))
      _ = try await sink.nextEvent()
      // A busy machine may hear nobody for a moment.
      var (number, records) = (1, 0)
      while records == 0 {
        number += 1
        _ = try await a.session(tablet)
        _ = try await a.exchange(try await a.session(phone), request(nil, water(number)))
        records = try await sink.nextEvent().records.count
      }
      await a.stop()
      await database.stop()
    }

    @Test("while nobody is heard, accounts with streams are read ten times as often")
    func refreshed() {
      #expect(PostgresBackend.refreshInterval(isListening: true) == .seconds(5))
      #expect(PostgresBackend.refreshInterval(isListening: false) == .milliseconds(500))
    }

    @Test("a database that answers the listener is reachable, though no job has tried it since")
    func reachable() async throws {
      let a = try await daemon()
      let changes = a.changes.count
      let error = #expect(throws: PostgresError.self) { try PostgresAddress(parsing: "nowhere") }
      a.backend.sessions.failed(try #require(error).reason, "it is away")
      #expect(!a.backend.isUsable && a.changes.count > changes)
      try await endSessions(like: "SELECT 1")
      try await waitUntil { a.backend.isUsable }
      #expect(a.changes.count > changes + 1, "the health service has heard of it")
      await a.stop()
      await database.stop()
    }

    @Test("sessions follow the newest one to its server")
    func oneServer() async throws {
      let a = try await daemon(listens: false)
      let kim = try await a.session(phone)
      let connection = try await database.open()
      _ = try await a.exchange(kim, request(nil, water(1)))
      // As if another session had found another primary, of which no more is heard.
      let choice = a.backend.sessions.choice
      let other = PostgresServerIdentity(started: -1, history: nil)
      #expect(choice.join(connection, at: other) == nil)
      _ = try await a.exchange(kim, request(nil, water(2)))
      #expect(await connection.server == choice.server, "it was opened again")
      await a.stop()
      await database.stop()
    }

    @Test("the log of events names accounts that this server never saw")
    func names() async throws {
      let (a, b) = (try await daemon(listens: false), try await daemon(listens: false))
      for name in ["ann", "bob"] {
        let made = await outcome { later throws(Status) in
          try a.admin.addAccount(AccountRequest(name: name).packed, answer: later)
        }
        _ = try made.reply
      }
      let listed = await outcome { later throws(Status) in
        try b.admin.events(AdminEventsRequest(account: "").packed, answer: later)
      }
      let entries = try AdminEventsResponse(unpacking: try listed.reply).entries
      #expect(entries.map(\.accountName) == ["bob", "bob", "ann", "ann"])
      for daemon in [a, b] { await daemon.stop() }
      await database.stop()
    }
  }
}
