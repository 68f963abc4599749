// SPDX-License-Identifier: Apache-2.0
// Check 13: the account that owns the purchase.

import AtrestAppStore
import AtrestEntitlements
import AtrestReplication
import Foundation
import Testing

@Suite("13. A purchase belongs to one account", .timeLimit(.minutes(20)))
struct AccountTests {
  let ours = UUID()

  @Test("and the one that the App Store names is the only one")
  func token() throws {
    var bench = try Bench()
    let named = ["appAccountToken": "\"\(ours.uuidString.lowercased())\""]
    bench.claim = AccountClaim(appAccountToken: ours)
    #expect(try bench.refusal(changing: named) == nil)
    bench.claim = AccountClaim(appAccountToken: UUID())
    #expect(try bench.refusal(changing: named) == .otherAccount)
    bench.claim.asksForTransfer = true
    #expect(try bench.refusal(changing: named) == .otherAccount, "nor does a transfer change it")
    bench.claim = AccountClaim(appAccountToken: nil)
    #expect(try bench.refusal(changing: named) == .accountUnknown)
    #expect(EntitlementRejection.accountUnknown.isRetryable)
  }

  @Test("the first that shows it, where the App Store names none")
  func firstClaim() throws {
    var bench = try Bench()
    for holder in [PurchaseHolder.nobody, .thisAccount] {
      bench.claim = AccountClaim(appAccountToken: ours, holder: { _ in holder })
      #expect(try bench.refusal(changing: [:]) == nil)
    }
    let since = WallTime(milliseconds: 1)
    bench.claim = AccountClaim(appAccountToken: ours, holder: { _ in .another(since: since) })
    #expect(try bench.refusal(changing: [:]) == .heldByAnotherAccount)
  }

  @Test("asked for by its original transaction, in its own environment")
  func original() throws {
    var bench = try Bench()
    let held = TransactionFact.ID(environment: .production, transactionID: "2000000001")
    let since = WallTime(milliseconds: 1)
    bench.claim = AccountClaim(
      appAccountToken: ours, isTester: true,
      holder: { $0 == held ? .another(since: since) : .nobody })
    let renewed = ["transactionId": "\"2000000077\""]
    #expect(try bench.refusal(changing: renewed) == .heldByAnotherAccount)
    #expect(try bench.refusal(changing: ["environment": "\"Sandbox\""]) == nil)
  }

  @Test("until it is transferred: asked for, proved by a statement of this hour, once a day")
  func transfer() throws {
    var bench = try Bench()
    let day: Int64 = 86_400_000
    let now = bench.now.milliseconds
    func hold(since: Int64) {
      bench.claim = AccountClaim(
        appAccountToken: ours, asksForTransfer: true,
        holder: { _ in .another(since: WallTime(milliseconds: since)) })
    }
    hold(since: now - day - 1)
    #expect(try bench.refusal(changing: [:]) == nil)
    hold(since: now - day)
    #expect(try bench.refusal(changing: [:]) == .transferTooSoon)
    hold(since: now - day - 1)
    #expect(
      try bench.refusal(changing: ["signedDate": "\(now - 3_600_001)"])
        == .transferNeedsFreshStatement)
  }

  @Test("and the checks in two steps say what the checks in one say")
  func twoSteps() throws {
    let bench = try Bench()
    let verifier = TransactionVerifier(policy: bench.policy)
    let jws = try bench.authority.sign(Payload().text)
    guard
      case .transaction(let purchase) = try verifier.authenticate(
        jws, isTester: false, now: bench.now)
    else {
      Issue.record("a purchase was taken for renewal information")
      return
    }
    #expect(try verifier.admit(purchase, for: bench.claim, now: bench.now) == bench.verify(jws))
    let gift = try bench.authority.sign(Payload(["inAppOwnershipType": "\"GIFT\""]).text)
    guard
      case .transaction(let strange) = try verifier.authenticate(
        gift, isTester: false, now: bench.now)
    else { return }
    #expect(throws: EntitlementRejection.unknownOwnership) {
      try verifier.admit(strange, for: bench.claim, now: bench.now)
    }
    let renewal = try bench.authority.sign(Payload.renewal().text)
    guard
      case .renewal(let fact) = try verifier.authenticate(
        renewal, isTester: false, now: bench.now)
    else {
      Issue.record("renewal information was taken for a purchase")
      return
    }
    #expect(fact.originalID == purchase.originalID)
  }
}
