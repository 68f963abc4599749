// SPDX-License-Identifier: Apache-2.0
// Devices.Renew: a copy of a device becomes a separate device.

import AtrestDomain
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct RenewTests {
  private let storage: Storage
  private let kim: DeviceSession

  init() throws {
    storage = try Storage()
    kim = try storage.session(phone)
  }

  private func renew(
    _ session: DeviceSession, nonce: [UInt8] = [], at storage: Storage? = nil
  ) async throws -> PairResponse {
    let outcome = await outcome { later throws(Status) in
      try (storage ?? self.storage).devices.renew(
        session, RenewRequest(nonce: nonce).encoded, answer: later)
    }
    return try PairResponse(decoding: try outcome.reply)
  }

  private let nonce = [UInt8](1...16)

  private func session(_ answer: PairResponse) throws -> DeviceSession {
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(answer.token)")
    return try #require(
      storage.registry.authenticate(metadata, at: WallTime(milliseconds: noon)).device)
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
    let names = try store.transaction { t throws(StoreError) in
      try t.devices.list(of: id).map(\.name)
    }
    #expect(names.sorted() == ["device 1", "device 1 2", "device 2"])
  }

  @Test("all identities of a device have one device's part of storage, also after a restart")
  func onePart() async throws {
    let first = try session(try await renew(kim))
    let second = try session(try await renew(first))
    #expect(Payer.device(first).device == phone && Payer.urgent(second).device == phone)
    #expect(Payer.device(try storage.session(tablet)).device == tablet)
    await storage.queue.close()
    let again = try Storage(storage.folder)
    #expect(Payer.device(try again.session(second.replica)).device == phone)
    #expect(Payer.device(try again.session(tablet)).device == tablet)
    await again.queue.close()
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
        kim, DevicesRevokeRequest(replica: first.replica).encoded, answer: later)
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
        kim, DevicesRevokeRequest(replica: first.replica).encoded, answer: later)
    }
    _ = try outcome.reply
    #expect(try session(try await renew(kim)).name == "device 1 2")
    await storage.queue.close()
  }

  @Test("a device without access gets no other")
  func revoked() async throws {
    let outcome = await outcome { later throws(Status) in
      try storage.devices.revoke(
        kim, DevicesRevokeRequest(replica: phone).encoded, answer: later)
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
      let request = DevicesRevokeRequest(replica: ReplicaID(rawValue: 1000))
      return try full.devices.revoke(session, request.encoded, answer: later)
    }
    _ = try revoked.reply
    _ = try await renew().reply
    let list = await outcome { later throws(Status) in
      try full.devices.list(session, [], answer: later)
    }
    let shown = try DevicesListResponse(decoding: try list.reply).devices
    #expect(shown.count == Pairing.devices && shown.allSatisfy { $0.revoked == nil })
    await full.queue.close()
  }
}
