// SPDX-License-Identifier: Apache-2.0
// Removing an account: nothing of it remains, and other accounts are unaffected.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

import struct AtrestReplication.Record

@testable import AtrestServer

/// A marker in the values of a removed account. Finding it in a file means that data was left
/// behind.
private let canary = "canary-7f3a-"

@Suite(.timeLimit(.minutes(20))) struct RemovalTests {
  private let storage: Storage
  private let admin: AdminService
  private var database: String { storage.folder.data + "/atrest.db" }

  init() throws {
    storage = try Storage()
    admin = AdminService(
      queue: storage.queue, backups: storage.queue, registry: storage.registry,
      devices: storage.devices,
      environment: storage.world.environment, address: { "" })
  }

  private func remove(_ name: String) async -> UnaryOutcome {
    let bytes = AccountRequest(name: name).packed
    return await outcome { later throws(Status) in
      try admin.removeAccount(bytes, answer: later)
    }
  }

  /// A record of an unknown kind, so that its value can be anything.
  private func note(_ number: Int, bytes: Int, at time: Int64 = noon) -> Record {
    let text = String(repeating: canary, count: bytes / canary.utf8.count + 1)
    let written = stamp(time, phone)
    let before = time > noon ? stamp(time - 1, phone) : nil
    return Record(
      key: RecordKey(kind: RecordKind(rawValue: 99), id: Array("\(canary)\(number)".utf8)),
      registers: [
        Register(field: Register.deletedField, stamp: written, value: []),
        Register(field: 2, stamp: written, replaced: before, value: Array(text.utf8)),
      ]) ?? water(number)
  }

  /// The number of rows per table that belong to a removed account or to none.
  private func orphans() throws -> [String: Int] {
    let queue = try DatabaseQueue(path: database)
    defer { try? queue.close() }
    return try queue.read { db in
      var found: [String: Int] = [:]
      for table in ["record", "feed_commit", "invitation", "device"] {
        let count =
          try Int.fetchOne(
            db, sql: "SELECT count(*) FROM \(table) WHERE account NOT IN (SELECT id FROM account)")
          ?? 0
        if count > 0 { found[table] = count }
      }
      return found
    }
  }

  @Test(
    "no byte of a value, a key or a name is left in the database or its log, whoever removes it",
    arguments: [true, false])
  func nothingLeft(byOwner: Bool) async throws {
    let kim = try storage.session(phone)
    for name in ["\(canary)name", "\(canary)other name"] {
      let renamed = await outcome { later throws(Status) in
        try storage.devices.rename(
          kim, DevicesRenameRequest(replica: tablet, name: name).encoded, answer: later)
      }
      _ = try renamed.reply
    }
    // Small values that share pages and large ones that overflow them: written, changed, and
    // deleted.
    for round in 0..<3 {
      for start in stride(from: 0, to: 600, by: 50) {
        let page = (start..<start + 50).map { number in
          offer(
            note(
              number, bytes: (number * 37 + round * 211) % (number % 9 == 0 ? 9000 : 400),
              at: noon + Int64(round)))
        }
        let answer = try await storage.exchange(phone, ExchangeRequest(cursor: nil, offers: page))
        guard answer.refusals.isEmpty else {
          Issue.record("\(answer.refusals)")
          return
        }
      }
    }
    _ = try await storage.exchange(ReplicaID(rawValue: 3), request(nil, water(1)))
    let invited = await outcome { later throws(Status) in
      try storage.devices.invite(kim, [], answer: later)
    }
    _ = try invited.reply
    #expect(try holds(canary))
    // A pending device has a name, too.
    let code = try InviteResponse(decoding: try invited.reply).code
    _ = try storage.devices.pair(
      PairRequest(
        code: code, deviceName: "\(canary)pendingDevice", nonce: [UInt8](repeating: 7, count: 16)
      ).encoded
    ) { Answer { _, _ in } }
    // Once a later caller is answered, the earlier one is known to wait.
    _ = try await storage.exchange(ReplicaID(rawValue: 3), request(nil, water(1)))
    if byOwner {
      _ = try await remove("kim").reply
    } else {
      let accounts = AccountsService(queue: storage.queue, devices: storage.devices)
      let deleted = await outcome { later throws(Status) in
        try accounts.delete(
          kim, AccountsDeleteRequest(accountName: "kim").encoded, answer: later)
      }
      _ = try deleted.reply
    }
    #expect(try !holds(canary))
    #expect(try !holds("device 1"))
    let log = try FileManager.default.attributesOfItem(atPath: database + "-wal")
    #expect(log[.size] as? Int == 0)
    // The audit log still has its events, by number.
    let found = await outcome { later throws(Status) in
      try admin.events(AdminEventsRequest().packed, answer: later)
    }
    let events = try AdminEventsResponse(unpacking: try found.reply).entries
    #expect(events.first?.event.kind == .accountRemoved && events.first?.account == 1)
    #expect(events.first?.event.actor == (byOwner ? .none : phone))
    #expect(events.filter { $0.event.kind == .deviceRenamed }.count == 2)
    // The other account is unchanged.
    let sam = try await storage.exchange(ReplicaID(rawValue: 3), request())
    #expect(sam.records == [water(1).encoded])
    await storage.queue.close()
    #expect(try orphans().isEmpty)
  }

  /// SQLite moves records between pages when it balances them, and leaves old copies behind. About
  /// every second run found some before the files were rewritten.
  @Test(
    "three accounts that write in turn, one removed: no file has a byte of it, nor a later backup")
  func shuffled() throws {
    try checkLaw(cases: 4) { random in
      let folder = try Folder()
      let store = try openStore(folder)
      let accounts = try ["a", "b", "c"].map { try store.makeAccount($0) }
      for account in accounts {
        try store.makeDevice(ReplicaID(rawValue: UInt64(account.rawValue)), account)
      }
      for round in 0..<60 {
        let index = Int.random(in: 0..<3, using: &random)
        let offers = (0..<Int.random(in: 1...40, using: &random)).map { _ in
          let number = Int.random(in: 0..<500, using: &random)
          return offer(
            index == 1
              ? note(
                number, bytes: Int.random(in: 20...(random.oneIn(20) ? 9000 : 300), using: &random),
                at: noon + Int64(round))
              : water(number, at: noon + Int64(round)))
        }
        _ = try store.exchange(
          accounts[index], ExchangeRequest(cursor: nil, offers: offers),
          by: ReplicaID(rawValue: UInt64(accounts[index].rawValue)))
      }
      try store.transaction { transaction throws(StoreError) in
        try transaction.accounts.remove(accounts[1])
      }
      try store.erase()
      let backup = folder.path("backup.db")
      close(open(backup, O_CREAT | O_WRONLY, 0o600))
      let copy = try store.beginBackup(to: backup)
      while try !copy.step() {}
      defer { store.close() }
      return try !holds(canary, in: folder.data)
        && Data(contentsOf: URL(fileURLWithPath: backup)).range(of: Data(canary.utf8)) == nil
    }
  }

  @Test("files that cannot be made anew are owed, said, and made anew later, after a start, too")
  func owed() async throws {
    _ = try await storage.exchange(phone, request(nil, note(1, bytes: 300)))
    // A reader holds a snapshot for longer than the server waits.
    let failure = try await storage.whileReading { await remove("kim").failure }
    #expect(failure == .notErased)
    storage.queue.eraseIfOwed()
    #expect(await remove("kim").failure == .noAccount, "it was removed all the same")
    #expect(try !holds(canary))
    await storage.queue.close()
    let folder = try Folder()
    var store = try openStore(folder)
    let lee = try store.makeAccount("lee")
    try store.transaction { transaction throws(StoreError) in try transaction.accounts.remove(lee) }
    store.close()
    store = try openStore(folder)
    defer { store.close() }
    #expect(store.owesErasure)
    try store.erase()
    #expect(!store.owesErasure)
  }

  /// Whether any file of the store contains the text.
  private func holds(_ text: String, in folder: String? = nil) throws -> Bool {
    let folder = folder ?? storage.folder.data
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      let file = URL(fileURLWithPath: folder + "/" + name)
      return try Data(contentsOf: file).range(of: Data(text.utf8)) != nil
    }
  }

  @Test("its devices' streams end, their tokens stop working, and the owner's lists forget them")
  func access() async throws {
    let session = try storage.session(phone)
    let sink = RecordingSink()
    _ = try storage.sync.watch(session, WatchRequest(cursor: nil).encoded, sink: sink)
    _ = try await sink.nextEvent()
    _ = try await remove("kim").reply
    #expect(try await sink.finished.next() == .unknownDevice)
    let now = WallTime(milliseconds: noon)
    #expect(storage.registry.authenticate(credentials(phone), at: now).device == nil)
    // A call that was authenticated before the removal.
    let late = await outcome { later throws(Status) in
      try storage.sync.exchange(session, request(nil, water(1)).encoded, answerLater: later)
    }
    #expect(late.failure == .unknownDevice)
    let listed = await outcome { later throws(Status) in
      try admin.listDevices([], answer: later)
    }
    #expect(
      try ListDevicesResponse(unpacking: try listed.reply).entries.map(\.account) == ["sam"])
    #expect(await remove("kim").failure?.code == .notFound)
    await storage.queue.close()
    #expect(try orphans().isEmpty)
  }

  @Test("what shares the removal's commit leaves nothing either")
  func sameCommit() async throws {
    let session = try storage.session(tablet)
    let answers = Recorder<UnaryOutcome>()
    try await storage.whileCommitting {
      for number in 0..<3 {
        if number == 1 {
          // Submitted as the device: otherwise it would run before the jobs that it must remove.
          let kim = session.account.id
          let answer = Answer { outcome, _ in answers.note(outcome) }
          try storage.devices.removeAccount(by: nil, for: .device(session), answer: answer) {
            _ in .account(kim)
          }
          continue
        }
        _ = try storage.sync.exchange(session, request(nil, water(number)).encoded) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
    }
    for _ in 0..<3 { _ = try await answers.next() }
    #expect(answers.all.compactMap(\.failure) == [.unknownDevice])
    await storage.queue.close()
    #expect(try orphans().isEmpty)
  }

  @Test("the name is free again, for an account that has nothing of the old one")
  func again() async throws {
    _ = try await storage.exchange(phone, request(nil, water(1)))
    _ = try await remove("kim").reply
    let made = await outcome { later throws(Status) in
      try admin.addAccount(AccountRequest(name: "kim").packed, answer: later)
    }
    let code = try Invitation(unpacking: try made.reply).code
    let paired = await outcome { later throws(Status) in
      try storage.devices.pair(
        PairRequest(code: code, deviceName: "phone").encoded, answer: later)
    }
    let replica = try PairResponse(decoding: try paired.reply).replica
    #expect(try await storage.exchange(replica, request()).records.isEmpty)
    await storage.queue.close()
  }
}
