// SPDX-License-Identifier: Apache-2.0
// Purchases on the server: verification, binding to one account, and rejections.

import AtrestAppStore
import AtrestDomain
import AtrestEntitlements
import AtrestFoundation
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct PurchaseTests {
  private let storage: Storage
  private let kim: DeviceSession
  private let sam: DeviceSession
  private let authority: TestAuthority
  private let gate: PurchaseGate
  private let entitlements: EntitlementsService
  private let sync: SyncService

  init() throws {
    storage = try Storage()
    storage.world.now = Payload.signed + 1000
    kim = try storage.session(phone)
    sam = try storage.session(ReplicaID(rawValue: 3))
    authority = try TestAuthority()
    var policy = VerificationPolicy(
      anchors: try TrustAnchors(certificatesDER: [authority.root]), bundleID: "com.atrest.fasting")
    policy.factsPerAccount = 3
    gate = PurchaseGate(policy: policy, environment: storage.world.environment)
    entitlements = EntitlementsService(
      queue: storage.queue, gate: gate, environment: storage.world.environment, logger: quiet)
    sync = SyncService(
      queue: storage.queue, registry: storage.registry, environment: storage.world.environment,
      gate: gate)
  }

  private func submit(
    _ session: DeviceSession, _ payload: Payload, transfer: Bool = false
  ) async throws -> String? {
    let jws = try authority.sign(payload.text)
    let bytes = EntitlementsSubmitRequest(signedTransaction: jws, transfer: transfer).encoded
    let outcome = await outcome { later throws(Status) in
      try entitlements.submit(session, bytes, answer: later)
    }
    return try EntitlementsSubmitResponse(decoding: try outcome.reply).rejection?.code
  }

  private func get(_ session: DeviceSession) async throws -> EntitlementsGetResponse {
    let outcome = await outcome { later throws(Status) in
      try entitlements.get(session, [], answer: later)
    }
    return try EntitlementsGetResponse(decoding: try outcome.reply)
  }

  private func exchange(
    _ session: DeviceSession, _ statements: [[UInt8]] = []
  ) async throws -> ExchangeResponse {
    let offers = try statements.map {
      Offer(record: try #require(EntitlementField.record(jws: $0)), written: []).encoded
    }
    let bytes = ExchangeRequest(cursor: nil, offers: offers).encoded
    let outcome = await outcome { later throws(Status) in
      try sync.exchange(session, bytes, answerLater: { later() })
    }
    return try ExchangeResponse(decoding: try outcome.reply)
  }

  private func id(_ number: Int) -> [String: String?] {
    ["transactionId": "\"\(number)\"", "originalTransactionId": "\"\(number)\""]
  }

  @Test("a purchase that verifies is stored, once, as the record that devices exchange")
  func stores() async throws {
    #expect(try await submit(kim, Payload()) == nil)
    let records = try await exchange(kim).decodedRecords
    #expect(records.map(\.key) == [RecordKey(kind: .entitlement, id: Array("2000000001".utf8))])
    #expect(try await exchange(sam).records.isEmpty)
    #expect(try await submit(kim, Payload()) == nil)
    #expect(try await get(kim).held == 1)
    await storage.queue.close()
  }

  @Test("a refund replaces its purchase, and an old receipt replays in vain")
  func refund() async throws {
    let purchase = try authority.sign(Payload().text)
    let refund = Payload([
      "signedDate": "\(Payload.signed + 10)", "revocationDate": "\(Payload.signed + 9)",
    ])
    #expect(try await submit(kim, refund) == nil)
    #expect(try await exchange(kim, [purchase]).refusals.isEmpty)
    let record = try #require(try await exchange(kim).decodedRecords.first)
    let kept = try #require(SignedTransaction(jws: try EntitlementField.jws(of: record)))
    #expect(kept.signedMilliseconds == Payload.signed + 10)
    await storage.queue.close()
  }

  @Test("a full account takes no new purchase, and is not bound to it; a refund it takes")
  func full() async throws {
    let quota = AccountQuota(records: 1)
    let tight = EntitlementsService(
      queue: storage.queue, gate: gate, quota: quota, environment: storage.world.environment,
      logger: quiet)
    let tightSync = SyncService(
      queue: storage.queue, registry: storage.registry, environment: storage.world.environment,
      gate: gate, quota: quota)
    func submit(_ payload: Payload, _ session: DeviceSession) async throws -> Status? {
      let jws = try authority.sign(payload.text)
      let outcome = await outcome { later throws(Status) in
        try tight.submit(
          session, EntitlementsSubmitRequest(signedTransaction: jws).encoded, answer: later)
      }
      return outcome.failure
    }
    #expect(try await submit(Payload(id(1)), kim) == nil)
    #expect(try await submit(Payload(id(2)), kim) == .fullAccount)
    let offered = Offer(
      record: try #require(
        EntitlementField.record(jws: try authority.sign(Payload(id(2)).text))), written: []
    ).encoded
    let pushed = await outcome { later throws(Status) in
      try tightSync.exchange(
        kim, ExchangeRequest(cursor: nil, offers: [offered]).encoded, answerLater: { later() })
    }
    #expect(
      try ExchangeResponse(decoding: try pushed.reply).refusals.map(\.reason) == [.quota])
    // No account holds it, so another one may.
    #expect(try await self.submit(sam, Payload(id(2))) == nil)
    var refund = id(1)
    refund["signedDate"] = "\(Payload.signed + 10)"
    refund["revocationDate"] = "\(Payload.signed + 9)"
    #expect(try await submit(Payload(refund), kim) == nil)
    await storage.queue.close()
  }

  @Test("purchases leave events: taken in, refused with the check, moved on both sides")
  func events() async throws {
    // Signed only once: signing again would create another statement.
    let purchase = EntitlementsSubmitRequest(
      signedTransaction: try authority.sign(Payload().text)
    ).encoded
    for _ in 0..<2 {
      let outcome = await outcome { later throws(Status) in
        try entitlements.submit(kim, purchase, answer: later)
      }
      #expect(try EntitlementsSubmitResponse(decoding: try outcome.reply).rejection == nil)
    }
    _ = try await submit(kim, Payload(["bundleId": "\"com.other\""]))
    storage.world.now += 25 * 3600 * 1000
    let fresh = Payload(["signedDate": "\(storage.world.now - 1000)"])
    #expect(try await submit(sam, fresh, transfer: true) == nil)
    let accounts = AccountsService(queue: storage.queue, devices: storage.devices)
    func told(_ session: DeviceSession) async throws -> [AccountEvent] {
      let outcome = await outcome { later throws(Status) in
        try accounts.events(session, [], answer: later)
      }
      let page = try EventsResponse(decoding: try outcome.reply)
      return page.events
    }
    let (mine, theirs) = (try await told(kim), try await told(sam))
    #expect(mine.map(\.kind) == [.purchaseMoved, .purchaseRefused, .purchaseTaken])
    #expect(mine.map(\.actor) == [.none, phone, phone])
    #expect(mine.first?.detail == 2)
    #expect(mine[1].detail == Int64(EntitlementRejection.otherApp.check))
    #expect(theirs.map(\.kind) == [.purchaseMoved, .purchaseTaken])
    #expect(theirs.map(\.detail) == [1, 0])
    await storage.queue.close()
  }

  @Test("what does not verify is rejected with its check, and nothing of it stays")
  func rejects() async throws {
    #expect(try await submit(kim, Payload(["bundleId": "\"com.other\""])) == "OTHER_APP")
    #expect(
      try await submit(kim, Payload(["environment": "\"Sandbox\""])) == "OTHER_ENVIRONMENT")
    let other = EntitlementsSubmitRequest(
      signedTransaction: try TestAuthority().sign(Payload().text)
    ).encoded
    let outcome = await outcome { later throws(Status) in
      try entitlements.submit(kim, other, answer: later)
    }
    let rejection = try EntitlementsSubmitResponse(decoding: try outcome.reply).rejection
    #expect(rejection?.code == "UNTRUSTED_ROOT" && rejection?.check == 3)
    #expect(rejection?.message == EntitlementRejection.untrustedRoot.userMessage)
    #expect(try await exchange(kim).records.isEmpty)
    #expect(try await get(kim).held == 0)
    await storage.queue.close()
  }

  @Test("an offered purchase is verified in the same way, each on its own")
  func offered() async throws {
    let good = try authority.sign(Payload().text)
    let bad = try TestAuthority().sign(Payload(id(7)).text)
    let answer = try await exchange(kim, [bad, good])
    #expect(answer.refusals.map(\.index) == [0])
    #expect(answer.refusals.map(\.reason) == [.invalid])
    #expect(answer.refusals[0].message.utf8.count < 128)
    #expect(try await get(kim).held == 1)
    await storage.queue.close()
  }

  @Test(
    "after many offers that do not verify an account waits; nothing is refused that was not looked at"
  )
  func manyFailures() async throws {
    let stranger = try TestAuthority()
    let limit = AccountState.badStatementsInARow
    let bad = try (1...limit).map { try stranger.sign(Payload(id($0)).text) }
    let good = try authority.sign(Payload().text)
    #expect(try await exchange(kim, bad).refusals.count == limit)
    await #expect(throws: Status.tooManyStatements) { try await exchange(kim, [good]) }
    await #expect(throws: Status.tooManyStatements) { try await submit(kim, Payload()) }
    // This does not apply to another account or to an invalid purchase.
    #expect(try await submit(sam, Payload(id(3))) == nil)
    #expect(try await exchange(kim, []).refusals.isEmpty)
    storage.world.now += AccountState.statementRefillMilliseconds
    #expect(try await exchange(kim, [good]).refusals.isEmpty)
    await storage.queue.close()
  }

  @Test("without a policy Submit is refused, and an offered purchase is stored as it is")
  func noPolicy() async throws {
    let plain = EntitlementsService(
      queue: storage.queue, gate: nil, environment: storage.world.environment, logger: quiet)
    let bytes = EntitlementsSubmitRequest(signedTransaction: [1]).encoded
    let outcome = await outcome { later throws(Status) in
      try plain.submit(kim, bytes, answer: later)
    }
    #expect(outcome.failure == .noPolicy && outcome.failure?.details.isEmpty == false)
    let stranger = try TestAuthority().sign(Payload().text)
    let record = try #require(EntitlementField.record(jws: stranger))
    let request = ExchangeRequest(
      cursor: nil, offers: [Offer(record: record, written: []).encoded]
    ).encoded
    let stored = await AtrestServerTests.outcome { later throws(Status) in
      try storage.sync.exchange(kim, request, answerLater: { later() })
    }
    #expect(try ExchangeResponse(decoding: try stored.reply).refusals.isEmpty)
    await storage.queue.close()
  }

  @Test("a purchase belongs to the account that showed it first, by its original transaction")
  func oneAccount() async throws {
    #expect(try await submit(kim, Payload()) == nil)
    let renewed = Payload(["transactionId": "\"2000000009\""])
    #expect(try await submit(sam, renewed) == "HELD_BY_ANOTHER_ACCOUNT")
    #expect(try await exchange(sam, [authority.sign(Payload().text)]).refusals.count == 1)
    #expect(try await submit(kim, renewed) == nil)
    await storage.queue.close()
  }

  @Test("a transfer is asked for, proved by a fresh statement, and possible once a day")
  func transfer() async throws {
    #expect(try await submit(kim, Payload()) == nil)
    #expect(try await submit(sam, Payload(), transfer: true) == "TRANSFER_TOO_SOON")
    storage.world.now += 25 * 3_600_000
    #expect(
      try await submit(sam, Payload(), transfer: true) == "TRANSFER_NEEDS_FRESH_STATEMENT")
    let fresh = Payload(["signedDate": "\(storage.world.now)"])
    #expect(try await submit(sam, fresh) == "HELD_BY_ANOTHER_ACCOUNT")
    #expect(try await submit(sam, fresh, transfer: true) == nil)
    #expect(try await submit(kim, fresh) == "HELD_BY_ANOTHER_ACCOUNT")
    await storage.queue.close()
  }

  @Test("a refund reaches the account that a purchase was moved away from, and moves nothing")
  func refundAfterTransfer() async throws {
    #expect(try await submit(kim, Payload()) == nil)
    storage.world.now += 25 * 3_600_000
    let signed = storage.world.now
    #expect(try await submit(sam, Payload(["signedDate": "\(signed)"]), transfer: true) == nil)
    let refund = Payload(["signedDate": "\(signed + 10)", "revocationDate": "\(signed + 9)"])
    #expect(try await submit(kim, refund) == nil)
    let later = Payload(["signedDate": "\(signed + 20)"])
    #expect(try await submit(kim, later) == "HELD_BY_ANOTHER_ACCOUNT")
    #expect(try await submit(sam, later) == nil)
    #expect(try await submit(sam, refund) == nil)
    await storage.queue.close()
  }

  @Test("each account has a token of its own, for good, and another's purchase is refused")
  func tokens() async throws {
    let token = try await get(kim).appAccountToken
    #expect(try await get(kim).appAccountToken == token)
    #expect(try await get(sam).appAccountToken != token)
    #expect(try await get(kim).verifies)
    let name = try #require(UUID(bytes: token)).uuidString
    let named = Payload(["appAccountToken": "\"\(name)\""])
    #expect(try await submit(sam, named) == "OTHER_ACCOUNT")
    #expect(try await submit(sam, named, transfer: true) == "OTHER_ACCOUNT")
    #expect(try await submit(kim, named) == nil)
    await storage.queue.close()
  }

  @Test("an account holds so many statements; a full one still takes a refund")
  func quota() async throws {
    for number in 1...3 { #expect(try await submit(kim, Payload(id(number))) == nil) }
    #expect(try await submit(kim, Payload(id(4))) == "TOO_MANY_FACTS")
    #expect(try await exchange(kim, [authority.sign(Payload(id(4)).text)]).refusals.count == 1)
    var refund = id(2)
    refund["signedDate"] = "\(Payload.signed + 10)"
    refund["revocationDate"] = "\(Payload.signed + 9)"
    #expect(try await submit(kim, Payload(refund)) == nil)
    #expect(try await get(kim).held == 3)
    await storage.queue.close()
  }

  @Test("renewal information is taken in by the account that holds the subscription")
  func renewal() async throws {
    #expect(try await submit(kim, .renewal()) == "RENEWAL_WITHOUT_TRANSACTION")
    #expect(try await submit(kim, Payload()) == nil)
    #expect(try await submit(sam, .renewal()) == "RENEWAL_WITHOUT_TRANSACTION")
    #expect(try await submit(kim, .renewal()) == nil)
    let keys = try await exchange(kim).decodedRecords.map {
      String(decoding: $0.key.id, as: UTF8.self)
    }
    #expect(Set(keys) == ["2000000001", "renewal.2000000001"])
    await storage.queue.close()
  }
}
