// SPDX-License-Identifier: Apache-2.0
// How a copy of a device is told from the device, and what becomes of it.

import GRPC
import Replication
import SyncProtocol
import TestSupport
import Testing
import Transport

@testable import AtrestServer

@Suite final class SyncTokenTests {
  private let folder: Folder
  private let store: SQLiteStore
  private let kim: AccountID

  init() throws {
    folder = try Folder()
    store = try openStore(folder)
    kim = try store.makeAccount("kim")
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
  }

  deinit {
    store.close()
  }

  private func push(
    _ number: Int, held: [UInt64], next: UInt64, by device: ReplicaID = phone
  ) throws -> ExchangeResponse {
    var push = request(nil, water(number, by: device))
    push.token = SyncToken(held: held, next: next)
    return try store.exchange(kim, push, by: device)
  }

  @Test("a device goes on from the token it showed last, and may show it again")
  func goesOn() throws {
    #expect(try push(1, held: [], next: 10).refusals.isEmpty)
    #expect(try push(1, held: [], next: 10).refusals.isEmpty)
    #expect(try push(2, held: [10], next: 11).refusals.isEmpty)
    // The answer was lost: the device does not know which of the two the server holds.
    #expect(try push(3, held: [10, 11], next: 12).refusals.isEmpty)
    #expect(try push(4, held: [11, 12], next: 13).refusals.isEmpty)
  }

  @Test("a store that went back takes the first that comes from the lost past, and not its copy")
  func copyOfTheLostPast() throws {
    let lost = Cursor(epoch: 4711, sequence: 9)
    // What the token was when the copy that was put back was made.
    try store.transaction { t throws(StoreError) in try t.setSyncToken(10, of: phone) }
    store.close()
    let store = try openStore(folder)
    defer { store.close() }
    var first = ExchangeRequest(cursor: lost, offers: [offer(water(1))], seen: lost)
    first.token = SyncToken(held: [20], next: 21)
    let answer = try store.exchange(kim, first, by: phone)
    #expect(answer.restarted && answer.refusals.isEmpty)
    var copy = ExchangeRequest(cursor: lost, offers: [offer(water(2))], seen: lost)
    copy.token = SyncToken(held: [20], next: 22)
    #expect(try store.exchange(kim, copy, by: phone).refusals.map(\.reason) == [.forked])
  }

  @Test("of two that go on from one copy the second is refused, whole, and still receives")
  func copy() throws {
    _ = try push(1, held: [], next: 10)
    _ = try push(2, held: [10], next: 11)
    var second = request(nil, water(3), water(4))
    second.offers.append([0xFF])
    second.token = SyncToken(held: [10], next: 12)
    let answer = try store.exchange(kim, second)
    #expect(answer.refusals.map(\.reason) == [.forked, .forked, .invalid])
    #expect(answer.records == [water(1).encoded, water(2).encoded])
    #expect(answer.cursor.sequence == 2 && answer.head == 2)
    // Refused again, and the first goes on undisturbed.
    #expect(try store.exchange(kim, second).refusals.map(\.reason) == [.forked, .forked, .invalid])
    #expect(try push(5, held: [11], next: 13).refusals.isEmpty)
  }

  @Test("tokens are each device's own, and outlive a restart")
  func ofEachDevice() throws {
    _ = try push(1, held: [], next: 10)
    #expect(try push(2, held: [], next: 20, by: tablet).refusals.isEmpty)
    store.close()
    let again = try openStore(folder)
    defer { again.close() }
    var forked = request(nil, water(3))
    forked.token = SyncToken(held: [20], next: 21)
    #expect(try again.exchange(kim, forked, by: phone).refusals.map(\.reason) == [.forked])
    #expect(try again.exchange(kim, forked, by: tablet).refusals.isEmpty)
  }

  @Test("whoever shows no token is not asked; what offers nothing moves no token")
  func withoutToken() throws {
    _ = try push(1, held: [], next: 10)
    #expect(try store.exchange(kim, request(nil, water(2))).refusals.isEmpty)
    let pull = ExchangeRequest(cursor: nil, token: SyncToken(held: [3], next: 4))
    #expect(try store.exchange(kim, pull).refusals.isEmpty)
    #expect(try push(3, held: [10], next: 11).refusals.isEmpty)
  }

  @Test("a token moves with the offers or not at all", arguments: [true, false])
  func atomic(isCommitted: Bool) throws {
    let (account, kimToken) = (kim, SyncToken(held: [], next: 10))
    var push = request(nil, water(1))
    push.token = kimToken
    let prepared = PreparedExchange(push)
    try? store.transaction { t throws(StoreError) in
      let feed = try AccountFeed(account: account, in: t)
      _ = try Exchange.run(
        prepared, device: phone, epoch: 77, feed: feed, now: WallTime(milliseconds: noon))
      try feed.finish()
      if !isCommitted { throw .failed(reason: "on purpose") }
    }
    let token = try store.transaction { t throws(StoreError) in try t.syncToken(of: phone) }
    #expect(token == (isCommitted ? 10 : 0))
    #expect(try store.exchange(kim, request()).records.count == (isCommitted ? 1 : 0))
  }
}

@Suite struct RenewTests {
  private let storage: Storage
  private let kim: Session

  init() throws {
    storage = try Storage()
    kim = try storage.session(phone)
  }

  private func renew(
    _ session: Session, nonce: [UInt8] = [], at storage: Storage? = nil
  ) async throws -> PairResponse {
    let outcome = await outcome { later throws(Status) in
      try (storage ?? self.storage).devices.renew(
        session, RenewRequest(nonce: nonce).encoded, answer: later)
    }
    return try PairResponse(decoding: try outcome.reply)
  }

  private let nonce = [UInt8](1...16)

  private func session(_ answer: PairResponse) throws -> Session {
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(answer.token)")
    return try #require(
      storage.directory.authenticate(metadata, at: WallTime(milliseconds: noon)))
  }

  @Test("a copy becomes a device of its own beside the one it was, with a name of its own")
  func beside() async throws {
    let answer = try await renew(kim)
    let (first, second) = (try session(answer), try session(try await renew(kim)))
    #expect(answer.accountName == "kim" && answer.replica != phone)
    #expect(first.account === kim.account && first.replica == answer.replica)
    #expect(!kim.isRevoked)
    #expect([kim, first, second].map(\.name) == ["device 1", "device 1 2", "device 1 3"])
    #expect(try session(try await renew(first)).name == "device 1 2 2")
    await storage.queue.close()
  }

  @Test("a request that is repeated gives the same device and the same token, also after a restart")
  func repeated() async throws {
    let first = try await renew(kim, nonce: nonce)
    let device = try session(first)
    #expect(try await renew(kim, nonce: nonce) == first)
    #expect(try session(first) === device)
    await storage.queue.close()
    let again = try Storage(storage.folder)
    #expect(try await renew(try again.session(phone), nonce: nonce, at: again) == first)
    await again.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    let id = kim.account.id
    let names = try store.transaction { t throws(StoreError) in try t.devices(of: id).map(\.name) }
    #expect(names.sorted() == ["device 1", "device 1 2", "device 2"])
  }

  @Test("another nonce, another device and no nonce make another device")
  func distinct() async throws {
    let answers = [
      try await renew(kim, nonce: nonce), try await renew(kim, nonce: nonce.reversed()),
      try await renew(try storage.session(tablet), nonce: nonce), try await renew(kim),
      try await renew(kim),
    ]
    #expect(Set(answers.map(\.replica)).count == 5)
    #expect(Set(answers.map { $0.token.suffix(64) }).count == 5)
    await storage.queue.close()
  }

  @Test("a device that was made and sent away is not given again")
  func repeatedAfterRevocation() async throws {
    let first = try await renew(kim, nonce: nonce)
    let outcome = await outcome { later throws(Status) in
      try storage.devices.revoke(
        kim, RevokeDeviceRequest(replica: first.replica).encoded, answer: later)
    }
    _ = try outcome.reply
    let second = try await renew(kim, nonce: nonce)
    #expect(second.replica != first.replica)
    #expect(try session(second).account === kim.account)
    await storage.queue.close()
  }

  @Test("a nonce has 16 to 64 bytes", arguments: [1, 15, 65])
  func nonceSize(count: Int) async throws {
    let bytes = RenewRequest(nonce: [UInt8](repeating: 7, count: count)).encoded
    let answer = await outcome { later throws(Status) in
      try storage.devices.renew(kim, bytes, answer: later)
    }
    #expect(answer.failure?.code == .invalidArgument)
    await storage.queue.close()
  }

  @Test("a name is cut so that the number fits, between characters")
  func names() {
    #expect(Name.next(after: "phone", []) == "phone 2")
    #expect(Name.next(after: "phone", ["phone", "phone 2", "phone 4"]) == "phone 3")
    let long = String(repeating: "é", count: 32)
    #expect(Name.next(after: long, []) == String(repeating: "é", count: 31) + " 2")
  }

  @Test("the name of a device whose access ended is free again")
  func freeName() async throws {
    let first = try await renew(kim)
    let outcome = await outcome { later throws(Status) in
      try storage.devices.revoke(
        kim, RevokeDeviceRequest(replica: first.replica).encoded, answer: later)
    }
    _ = try outcome.reply
    #expect(try session(try await renew(kim)).name == "device 1 2")
    await storage.queue.close()
  }

  @Test("a device without access gets no other")
  func revoked() async throws {
    let outcome = await outcome { later throws(Status) in
      try storage.devices.revoke(
        kim, RevokeDeviceRequest(replica: phone).encoded, answer: later)
    }
    _ = try outcome.reply
    await #expect(throws: Status.unknownDevice) { try await renew(kim) }
    await storage.queue.close()
  }

  @Test(
    "an account has a bounded number of devices that have access; whoever is sent away makes room")
  func bounded() async throws {
    await storage.queue.close()
    let store = try openStore(storage.folder)
    let missing = Pairing.devices - 1 - 2
    for number in 0..<missing {
      try store.makeDevice(ReplicaID(rawValue: 1000 + UInt64(number)), kim.account.id)
    }
    store.close()
    let full = try Storage(storage.folder)
    func renew() async throws -> UnaryOutcome {
      let session = try full.session(phone)
      return await outcome { later throws(Status) in
        try full.devices.renew(session, [], answer: later)
      }
    }
    _ = try await renew().reply
    #expect(try await renew().failure?.code == .resourceExhausted)
    let session = try full.session(phone)
    let revoked = await outcome { later throws(Status) in
      let request = RevokeDeviceRequest(replica: ReplicaID(rawValue: 1000))
      return try full.devices.revoke(session, request.encoded, answer: later)
    }
    _ = try revoked.reply
    _ = try await renew().reply
    let list = await outcome { later throws(Status) in
      try full.devices.list(session, [], answer: later)
    }
    let shown = try ListDevicesResponse(decoding: try list.reply).devices
    #expect(shown.count == Pairing.devices && shown.allSatisfy { $0.revoked == nil })
    await full.queue.close()
  }
}
