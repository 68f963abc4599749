// SPDX-License-Identifier: Apache-2.0
// The entitlement state derived from facts: purchases, refunds, grace, family, the trial, and
// missing data.

import AtrestEntitlements
import AtrestFoundation
import AtrestReplication
import Foundation
import Testing

/// Facts without signatures, as a verifier would return them.
enum Facts {
  static let day: Int64 = 86_400_000
  static let bought: Int64 = 1_781_000_000_000

  static func time(_ days: Int64) -> WallTime { WallTime(milliseconds: bought + days * day) }

  static func id(_ number: Int, _ environment: StoreEnvironment = .production) -> TransactionFact.ID
  {
    .init(environment: environment, transactionID: "\(number)")
  }

  /// A statement about a purchase, signed on a day.
  static func annual(
    _ number: Int = 1, original: Int = 1, signed: Int64 = 0, expires: Int64 = 365,
    revoked: Int64? = nil, ownership: Ownership = .purchased,
    environment: StoreEnvironment = .production, hash: UInt8 = 0
  ) -> TransactionFact {
    TransactionFact(
      id: id(number, environment), originalID: id(original, environment),
      productID: "com.atrest.annual", type: .subscription, ownership: ownership,
      expires: time(expires), revoked: revoked.map(time),
      order: StatementOrder(signed: time(signed), hash: [hash]))
  }

  static func lifetime(
    _ number: Int = 2, signed: Int64 = 0, revoked: Int64? = nil, hash: UInt8 = 0
  ) -> TransactionFact {
    TransactionFact(
      id: id(number), originalID: id(number), productID: "com.atrest.lifetime", type: .lifetime,
      revoked: revoked.map(time), order: StatementOrder(signed: time(signed), hash: [hash]))
  }

  static func renewal(
    signed: Int64, grace: Int64?, original: Int = 1, hash: UInt8 = 0
  ) -> RenewalFact {
    RenewalFact(
      originalID: id(original), graceExpires: grace.map(time),
      order: StatementOrder(signed: time(signed), hash: [hash]))
  }
}

@Suite("What an account may use follows from", .timeLimit(.minutes(20)))
struct StateTests {
  /// The state on a day for a person with complete data and an expired trial.
  private func state(
    _ transactions: [TransactionFact], _ renewals: [RenewalFact] = [], day: Int64,
    sandbox: Bool = false
  ) -> EntitlementState {
    var evidence = EntitlementEvidence(
      completed: fasts(11), isComplete: true, countsSandbox: sandbox)
    for fact in transactions { evidence.facts.insert(fact) }
    for fact in renewals { evidence.facts.insert(fact) }
    return evidence.state(at: Facts.time(day))
  }

  private func fasts(_ count: Int) -> CompletedFasts {
    CompletedFasts((0..<count).map { _ in RecordUUID.random() })
  }

  @Test("a purchase: a subscription until its end, to the millisecond, a lifetime for good")
  func purchase() {
    #expect(state([Facts.annual()], day: 0) == .premium)
    #expect(state([Facts.annual()], day: 364) == .premium)
    #expect(state([Facts.annual()], day: 365) == .free)
    #expect(state([Facts.lifetime()], day: 36_500) == .premium)
    var evidence = EntitlementEvidence(completed: fasts(11), isComplete: true)
    evidence.facts.insert(Facts.annual())
    let end = Facts.time(365).milliseconds
    #expect(evidence.state(at: WallTime(milliseconds: end - 1)) == .premium)
    #expect(evidence.state(at: WallTime(milliseconds: end)) == .free)
  }

  @Test("a renewal, which is a purchase of its own; an extension, which is a later statement")
  func renewed() {
    let renewed = Facts.annual(9, original: 1, signed: 365, expires: 730)
    #expect(state([Facts.annual(), renewed], day: 400) == .premium)
    let extended = Facts.annual(signed: 300, expires: 395)
    #expect(state([Facts.annual(), extended], day: 380) == .premium)
  }

  @Test("a refund, which beats the purchase however late an old device replays it")
  func refund() {
    let purchase = Facts.annual()
    let refund = Facts.annual(signed: 20, revoked: 20)
    #expect(state([purchase, refund], day: 30) == .free)
    #expect(state([refund, purchase], day: 30) == .free)
    #expect(state([refund, purchase, purchase, refund, purchase], day: 30) == .free)
    #expect(
      state([Facts.lifetime(), Facts.lifetime(signed: 1, revoked: 1)], day: 30) == .free)
  }

  @Test("a refund that was reversed: a later statement without it grants again")
  func refundReversed() {
    let statements = [
      Facts.annual(), Facts.annual(signed: 20, revoked: 20), Facts.annual(signed: 40),
    ]
    #expect(state(statements, day: 50) == .premium)
    #expect(state(statements.reversed(), day: 50) == .premium)
  }

  @Test("the refund of one purchase, which says nothing of another")
  func refundOfOne() {
    let refund = Facts.annual(signed: 20, revoked: 20)
    #expect(state([refund, Facts.lifetime()], day: 30) == .premium)
  }

  @Test("grace from signed renewal information, then its end")
  func grace() {
    let purchase = Facts.annual()
    let grace = Facts.renewal(signed: 365, grace: 381)
    #expect(state([purchase], [grace], day: 370) == .premium)
    #expect(state([purchase], [grace], day: 381) == .free)
    #expect(state([purchase], [], day: 370) == .free, "no grace, no change but the end")
    let over = Facts.renewal(signed: 372, grace: nil)
    #expect(state([purchase], [grace, over], day: 373) == .free)
    #expect(state([purchase], [over, grace], day: 373) == .free)
  }

  @Test("no grace without its purchase, nor after that was refunded")
  func graceAlone() {
    let grace = Facts.renewal(signed: 365, grace: 381)
    #expect(state([], [grace], day: 370) == .free)
    #expect(state([Facts.annual(signed: 20, revoked: 20)], [grace], day: 370) == .free)
    // The last period counts: the previous one was refunded and this one was not, and vice versa.
    let first = Facts.annual(signed: 20, revoked: 20)
    let second = Facts.annual(3, original: 1, signed: 365, expires: 730)
    let later = Facts.renewal(signed: 730, grace: 746)
    #expect(state([first, second], [later], day: 740) == .premium)
    let refunded = Facts.annual(3, original: 1, signed: 400, expires: 730, revoked: 400)
    #expect(state([Facts.annual(), refunded], [later], day: 740) == .free)
  }

  @Test("a family's purchase, until the sharing ends")
  func family() {
    let shared = Facts.annual(ownership: .familyShared)
    #expect(state([shared], day: 10) == .premium)
    let ended = Facts.annual(signed: 5, revoked: 5, ownership: .familyShared)
    #expect(state([shared, ended], day: 10) == .free)
  }

  @Test("the sandbox only where it counts, and never over a real purchase of the same number")
  func sandbox() {
    let test = Facts.annual(signed: 50, environment: .sandbox)
    #expect(state([test], day: 60) == .free)
    #expect(state([test], day: 60, sandbox: true) == .premium)
    let refund = Facts.annual(signed: 50, revoked: 50, environment: .sandbox)
    #expect(state([Facts.annual(), refund], day: 60) == .premium)
    #expect(state([Facts.annual(), refund], day: 60, sandbox: true) == .premium)
  }

  @Test("completed fasts: the tenth is in the trial, the eleventh is not")
  func trial() {
    for (count, expected) in [(0, EntitlementState.trial), (10, .trial), (11, .free)] {
      let evidence = EntitlementEvidence(completed: fasts(count), isComplete: true)
      #expect(evidence.state(at: Facts.time(0)) == expected)
    }
  }

  @Test("fasts that were deleted, too: a set that only grows, however it is merged")
  func deletedFasts() {
    let history = fasts(11)
    var tablet = CompletedFasts(history.ids.prefix(6))
    tablet.merge(CompletedFasts(history.ids.dropFirst(4)))
    tablet.merge(history)
    tablet.insert(history.ids.first ?? RecordUUID.random())
    #expect(tablet == history)
    let evidence = EntitlementEvidence(completed: tablet, isComplete: true)
    #expect(evidence.state(at: Facts.time(0)) == .free)
  }

  @Test("nothing that is missing: what is not known is unknown, and never free")
  func unknown() {
    for count in [0, 10, 11, 1000] {
      for (hasUndecided, isComplete) in [(true, true), (false, false), (true, false)] {
        var evidence = EntitlementEvidence(
          completed: fasts(count), hasUndecided: hasUndecided, isComplete: isComplete)
        #expect(evidence.state(at: Facts.time(0)) == .unknown)
        evidence.facts.insert(Facts.annual(signed: 20, revoked: 20))
        #expect(evidence.state(at: Facts.time(30)) == .unknown)
        evidence.facts.insert(Facts.lifetime())
        #expect(evidence.state(at: Facts.time(30)) == .premium, "a verified purchase is enough")
      }
    }
  }

  @Test("the latest time that is known: a clock that is set back prolongs nothing")
  func clock() {
    let now = EntitlementTime.now(
      local: Facts.time(0), server: Facts.time(400), latestStamp: Facts.time(3))
    #expect(now == Facts.time(400))
    #expect(state([Facts.annual()], day: 400) == .free)
    let stamp = EntitlementTime.now(local: Facts.time(0), server: nil, latestStamp: Facts.time(3))
    #expect(stamp == Facts.time(3))
    let local = EntitlementTime.now(local: Facts.time(9), server: Facts.time(4), latestStamp: nil)
    #expect(local == Facts.time(9))
  }
}
