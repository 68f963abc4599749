// SPDX-License-Identifier: Apache-2.0
// The audit log: complete, identified by number, permanent, and bounded so that it cannot fill the
// disk.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

import struct AtrestReplication.ReplicaID
import struct AtrestReplication.WallTime

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct EventTests {
  private let storage: Storage
  private let admin: AdminService
  private let accounts: AccountsService
  private let kim: DeviceSession
  private var file: String { storage.folder.data + "/atrest.db" }

  init() throws {
    storage = try Storage()
    admin = AdminService(
      queue: storage.queue, backups: storage.queue, registry: storage.registry,
      devices: storage.devices,
      environment: storage.world.environment, address: { "" })
    accounts = AccountsService(queue: storage.queue, devices: storage.devices)
    kim = try storage.session(phone)
  }

  private func events(
    _ session: DeviceSession? = nil, size: UInt32 = 100, page: String = ""
  ) async throws -> EventsResponse {
    // A device's read runs beside the commits. The operator's runs between them, after earlier
    // notes.
    _ = try await all()
    let bytes = EventsRequest(pageSize: size, pageToken: page).encoded
    let outcome = await outcome { later throws(Status) in
      try accounts.events(session ?? kim, bytes, answer: later)
    }
    return try EventsResponse(decoding: try outcome.reply)
  }

  private func all(of account: String = "") async throws -> [AdminEventsResponse.Entry] {
    let bytes = AdminEventsRequest(account: account).packed
    let outcome = await outcome { later throws(Status) in try admin.events(bytes, answer: later) }
    return try AdminEventsResponse(unpacking: try outcome.reply).entries
  }

  private func check(through number: UInt64 = 0) async throws -> CheckEventsResponse {
    let bytes = CheckEventsRequest(through: number).packed
    let outcome = await outcome { later throws(Status) in
      try admin.checkEvents(bytes, answer: later)
    }
    return try CheckEventsResponse(unpacking: try outcome.reply)
  }

  private func invite(withoutApproval: Bool = true) async throws -> String {
    let bytes = InviteRequest(withoutApproval: withoutApproval).encoded
    let outcome = await outcome { later throws(Status) in
      try storage.devices.invite(kim, bytes, answer: later)
    }
    return try InviteResponse(decoding: try outcome.reply).code
  }

  private func pair(_ code: String) async throws -> PairResponse {
    let outcome = await outcome { later throws(Status) in
      try storage.devices.pair(
        PairRequest(code: code, deviceName: "laptop").encoded, answer: later)
    }
    return try PairResponse(decoding: try outcome.reply)
  }

  private func revoke(_ replica: ReplicaID) async throws {
    let outcome = await outcome { later throws(Status) in
      try storage.devices.revoke(
        kim, DevicesRevokeRequest(replica: replica).encoded, answer: later)
    }
    _ = try outcome.reply
  }

  private func rename(_ replica: ReplicaID, _ name: String) async throws -> String {
    let bytes = DevicesRenameRequest(replica: replica, name: name).encoded
    let outcome = await outcome { later throws(Status) in
      try storage.devices.rename(kim, bytes, answer: later)
    }
    return try DevicesRenameResponse(decoding: try outcome.reply).name
  }

  @Test("what a device does to the account is told with who did it, to whom, and when")
  func told() async throws {
    let laptop = try await pair(try await invite()).replica
    storage.world.now += 5
    _ = try await rename(laptop, "notebook")
    try await revoke(laptop)
    try await revoke(laptop)
    let renewed = await outcome { later throws(Status) in
      try storage.devices.renew(kim, RenewRequest().encoded, answer: later)
    }
    let copy = try PairResponse(decoding: try renewed.reply).replica
    let found = try await events().events
    #expect(
      found.map(\.kind) == [
        .deviceRenewed, .deviceRevoked, .deviceRenamed, .devicePaired, .codeMade,
      ])
    #expect(found.map(\.actor) == [phone, phone, phone, phone, phone])
    #expect(found.map(\.subject) == [copy, laptop, laptop, laptop, .none])
    #expect(found.map(\.at.milliseconds) == [noon + 5, noon + 5, noon + 5, noon, noon])
    #expect(found.map(\.number) == [5, 4, 3, 2, 1])
    #expect(found.allSatisfy { $0.count == 1 })
    // Another account sees none of it.
    #expect(try await events(storage.session(ReplicaID(rawValue: 3))).events.isEmpty)
    await storage.queue.close()
  }

  @Test("approvals name the device that said yes, and refusals the one that said no")
  func approvals() async throws {
    for allow in [true, false] {
      let code = try await invite(withoutApproval: false)
      let answers = Recorder<UnaryOutcome>()
      _ = try storage.devices.pair(
        PairRequest(code: code, deviceName: "x", nonce: [UInt8](repeating: 7, count: 16)).encoded
      ) {
        Answer { outcome, _ in answers.note(outcome) }
      }
      // A read passes through the same queue, so the pending device waits afterwards.
      _ = try await events()
      let listed = await outcome { later throws(Status) in
        try storage.devices.pendingDevices(kim, [], answer: later)
      }
      let waiting = try ListPendingDevicesResponse(decoding: try listed.reply).pendingDevices
      let bytes = ResolvePendingDeviceRequest(
        handle: try #require(waiting.first).handle, allow: allow
      ).encoded
      let tab = try storage.session(tablet)
      let decided = await outcome { later throws(Status) in
        try storage.devices.decide(tab, bytes, answer: later)
      }
      _ = try decided.reply
    }
    let found = try await events().events
    #expect(
      found.map(\.kind) == [
        .deviceDenied, .codeMade, .deviceApproved, .devicePaired, .codeMade,
      ])
    #expect(found.map(\.actor) == [tablet, phone, tablet, phone, phone])
    #expect(found[2].subject == found[3].subject && found[2].subject != .none)
    #expect(found.filter { $0.kind == .codeMade }.map(\.detail) == [1, 1])
    await storage.queue.close()
  }

  @Test("pages go on where the last one ended")
  func pages() async throws {
    for _ in 0..<5 { _ = try await invite() }
    let first = try await events(size: 2)
    #expect(first.events.map(\.number) == [5, 4])
    let second = try await events(size: 3, page: first.nextPageToken)
    #expect(second.events.map(\.number) == [3, 2, 1] && second.nextPageToken.isEmpty)
    #expect(try await events(page: "1").events.isEmpty)
    #expect(try await events(page: "\(UInt64.max)").events.count == 5)
    for token in ["0", "-1", "five", "18446744073709551616"] {
      await #expect(throws: Status.self) { try await events(page: token) }
    }
    await storage.queue.close()
  }

  @Test("the owner sees all accounts, what concerns none, and what was of accounts that are gone")
  func owner() async throws {
    let made = await outcome { later throws(Status) in
      try admin.addAccount(AccountRequest(name: "lee").packed, answer: later)
    }
    _ = try made.reply
    _ = try await invite()
    let removed = await outcome { later throws(Status) in
      try admin.removeAccount(AccountRequest(name: "lee").packed, answer: later)
    }
    _ = try removed.reply
    let found = try await all()
    #expect(
      found.map(\.event.kind) == [.accountRemoved, .codeMade, .codeMade, .accountMade])
    #expect(found.map(\.accountName) == ["", "kim", "", ""])
    #expect(found.map(\.account) == [3, 1, 3, 3])
    #expect(found.map(\.event.actor) == [.none, phone, .none, .none])
    #expect(try await all(of: "kim").map(\.event.number) == [3])
    await #expect(throws: Status.noAccount) { try await all(of: "lee") }
    await storage.queue.close()
  }

  @Test("wrong codes leave one event a minute, however many were tried, and none is lost")
  func codes() async throws {
    for _ in 0..<15 { _ = try? await pair("nonsense") }
    #expect(try await all().map(\.event.kind) == [.codeRefused])
    storage.world.now += EventCounter.intervalMilliseconds
    _ = try? await pair("nonsense")
    let found = try await all()
    #expect(found.map(\.event.count) == [15, 1])
    #expect(found.map(\.account) == [0, 0])
    // The last counts are written when the server stops.
    for _ in 0..<3 { _ = try? await pair("nonsense") }
    storage.queue.writeCounted(at: WallTime(milliseconds: storage.world.now), always: true)
    #expect(try await all().map(\.event.count) == [3, 15, 1])
    await storage.queue.close()
  }

  @Test("a wrong secret is told to the account whose code it was tried on")
  func secrets() async throws {
    let code = try await invite()
    _ = try? await pair(String(code.dropLast(8)) + "BBBBBBBB")
    #expect(try await events().events.map(\.kind) == [.codeRefused, .codeMade])
    await storage.queue.close()
  }

  @Test("a mass deletion that a person wanted is told with its size; others are not")
  func massDeletions() async throws {
    let page = (0..<25).map { offer(water($0)) }
    _ = try await storage.exchange(phone, ExchangeRequest(cursor: nil, offers: page))
    storage.world.now += 2000
    let few = ExchangeRequest(
      cursor: nil, offers: [deletion(deleted(0))], allowsMassDeletion: true)
    _ = try await storage.exchange(phone, few)
    #expect(try await events().events.isEmpty)
    let many = ExchangeRequest(
      cursor: nil, offers: (1..<21).map { deletion(deleted($0)) }, allowsMassDeletion: true)
    _ = try await storage.exchange(phone, many)
    let found = try await events().events
    #expect(found.map(\.kind) == [.massDeletion] && found.map(\.detail) == [20])
    #expect(found.map(\.actor) == [phone])
    await storage.queue.close()
  }

  @Test("on a full disk a mass deletion leaves its trace, and what cannot be written is counted on")
  func fullDisk() async throws {
    let page = (0..<25).map { offer(water($0)) }
    _ = try await storage.exchange(phone, ExchangeRequest(cursor: nil, offers: page))
    storage.world.now += 2000
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    let many = ExchangeRequest(
      cursor: nil, offers: (1..<21).map { deletion(deleted($0)) }, allowsMassDeletion: true)
    _ = try await storage.exchange(phone, many)
    for _ in 0..<3 { _ = try? await pair("nonsense") }
    #expect(try await all().map(\.event.kind) == [.massDeletion])
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    storage.world.now += EventCounter.intervalMilliseconds
    _ = try? await pair("nonsense")
    let found = try await all()
    #expect(found.map(\.event.kind) == [.codeRefused, .massDeletion])
    #expect(found.map(\.event.count) == [4, 1])
    await storage.queue.close()
  }

  @Test("a device that was told more than the server holds leaves a trace")
  func restored() async throws {
    _ = try await storage.exchange(phone, request(Cursor(commit: 4711, sequence: 9)))
    #expect(try await events().events.map(\.kind) == [.restoreNoticed])
    await storage.queue.close()
  }

  @Test("names leave no trace, and can be given sixteen times in a row")
  func renames() async throws {
    for number in 0..<16 { _ = try await rename(tablet, "canary-\(number)") }
    await #expect(throws: Status.tooManyRenames) { try await rename(tablet, "one more") }
    storage.world.now += AccountState.refillMilliseconds
    #expect(try await rename(tablet, "last") == "last")
    await #expect(throws: Status.tooManyRenames) { try await rename(tablet, "too soon") }
    #expect(storage.registry.session(tablet)?.name == "last")
    #expect(try await events().events.count == 17)
    await storage.queue.close()
  }

  @Test("the name it has is no news; another's gets a number; a device without access has none")
  func renaming() async throws {
    #expect(try await rename(tablet, "device 2") == "device 2")
    #expect(try await events().events.isEmpty)
    #expect(try await rename(tablet, "device 1") == "device 1 2")
    #expect(try await rename(tablet, "device 1") == "device 1 2")
    await #expect(throws: Status.badName) { try await rename(tablet, "a\nb") }
    await #expect(throws: Status.notFound) { try await rename(ReplicaID(rawValue: 3), "mine") }
    try await revoke(tablet)
    await #expect(throws: Status.notFound) { try await rename(tablet, "x") }
    await storage.queue.close()
    let again = try Storage(storage.folder)
    #expect(try again.session(tablet).name == "device 1 2")
    await again.queue.close()
  }

  // MARK: The hash chain

  @Test("a log that nobody touched is whole, however long")
  func whole() async throws {
    #expect(try await check() == CheckEventsResponse(events: 0, broken: 0, hash: []))
    let job = Operation(by: .server, use: .writes) { batch throws(StoreError) in
      try batch.transaction.events.append(
        (0..<4500).map {
          NewEvent(.backupMade, of: nil, at: WallTime(milliseconds: noon), detail: Int64(-$0))
        })
    } completion: { _, _ in
    }
    try #require(storage.queue.submit(job))
    let found = try await check()
    #expect(found.events == 4500 && found.broken == 0 && found.hash.count == 32)
    for number: UInt64 in [1, 1999, 2000, 2001, 4499, 4500, 4501] {
      let part = try await check(through: number)
      #expect(part.events == min(number, 4500) && part.broken == 0)
      #expect((part.hash == found.hash) == (number >= 4500))
    }
    await storage.queue.close()
  }

  @Test("an event follows those before it, whoever made its own hash fit")
  func chained() {
    func event(_ detail: Int64) -> NewEvent {
      NewEvent(.backupMade, of: nil, at: WallTime(milliseconds: noon), detail: detail)
    }
    var (one, other) = (EventChain(), EventChain())
    let first = one.append(event(1))
    _ = other.append(event(9))
    // The same event in the same place, of another history.
    let (second, forged) = (one.append(event(2)), other.append(event(2)))
    var check = EventChain()
    #expect(check.follows(first) && !check.follows(forged) && check.follows(second))
  }

  @Test("events can be neither changed nor removed")
  func appendOnly() async throws {
    _ = try await invite()
    await storage.queue.close()
    let queue = try DatabaseQueue(path: file)
    defer { try? queue.close() }
    for statement in ["UPDATE event SET kind = 1", "DELETE FROM event"] {
      #expect(throws: DatabaseError.self) {
        try queue.write { db in try db.execute(sql: statement) }
      }
    }
  }

  /// Alters the log as an attacker with SQLite would.
  private func tamper(_ statement: String) throws {
    let triggers = ["event_is_not_changed", "event_is_not_removed"]
    let queue = try DatabaseQueue(path: file)
    try queue.writeWithoutTransaction { db in
      let texts = try String.fetchAll(db, sql: "SELECT sql FROM sqlite_schema WHERE type='trigger'")
      for trigger in triggers { try db.execute(sql: "DROP TRIGGER \(trigger)") }
      try db.execute(sql: statement)
      for text in texts { try db.execute(sql: text) }
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try queue.close()
  }

  @Test(
    "whoever gets round that is found out, here and in a backup",
    arguments: [
      ("UPDATE event SET detail = 9 WHERE number = 2", 2),
      ("UPDATE event SET account = 2 WHERE number = 3", 3),
      ("UPDATE event SET actor = 7 WHERE number = 1", 1),
      ("DELETE FROM event WHERE number = 2", 3),
      ("DELETE FROM event WHERE number = 1", 2),
      ("UPDATE event SET hash = x'00' WHERE number = 4", 4),
      ("UPDATE event SET number = 9 WHERE number = 4", 9),
    ] as [(String, UInt64)])
  func tampered(statement: String, broken: UInt64) async throws {
    for _ in 0..<4 { _ = try await invite() }
    await storage.queue.close()
    try tamper(statement)
    #expect(
      throws: BackupError.damaged(path: file, reason: "its log of events was changed")
    ) { try StoreCopy.check(file) }
    let again = try Storage(storage.folder)
    let admin = AdminService(
      queue: again.queue, backups: again.queue, registry: again.registry, devices: again.devices,
      environment: again.world.environment, address: { "" })
    let outcome = await outcome { later throws(Status) in try admin.checkEvents([], answer: later) }
    let found = try CheckEventsResponse(unpacking: try outcome.reply)
    #expect(found.broken == broken)
    await again.queue.close()
  }
}
