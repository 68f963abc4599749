// SPDX-License-Identifier: Apache-2.0
// The join of facts is commutative, associative and idempotent. Noise never verifies.

import AtrestAppStore
import AtrestDomain
import AtrestEntitlements
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("However statements arrive", .timeLimit(.minutes(20)))
struct PermutationTests {
  /// Random statements about few purchases, so that many concern the same one. Some have equal
  /// dates.
  private func statements(
    _ random: inout SeededRandom
  ) -> (transactions: [TransactionFact], renewals: [RenewalFact]) {
    let transactions = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      let signed = Int64.random(in: 0...3, using: &random) * 100
      let revoked = random.oneIn(3) ? signed : nil
      let hash = UInt8.random(in: 0...255, using: &random)
      return random.oneIn(5)
        ? Facts.lifetime(signed: signed, revoked: revoked, hash: hash)
        : Facts.annual(
          Int.random(in: 3...5, using: &random), original: random.oneIn(4) ? 4 : 3, signed: signed,
          expires: signed + 200, revoked: revoked,
          environment: random.oneIn(6) ? .sandbox : .production, hash: hash)
    }
    let renewals = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      let signed = Int64.random(in: 0...3, using: &random) * 100
      return Facts.renewal(
        signed: signed, grace: random.oneIn(2) ? signed + 16 : nil, original: 3,
        hash: UInt8.random(in: 0...255, using: &random))
    }
    return (transactions, renewals)
  }

  /// The latest statement of each purchase, found by sorting: the expected result of the join.
  private func expected(
    _ transactions: [TransactionFact], _ renewals: [RenewalFact]
  ) -> EntitlementFacts {
    var facts = EntitlementFacts()
    for group in Dictionary(grouping: transactions, by: \.id).values {
      if let last = group.sorted(by: { $0.order < $1.order }).last { facts.insert(last) }
    }
    for group in Dictionary(grouping: renewals, by: \.originalID).values {
      if let last = group.sorted(by: { $0.order < $1.order }).last { facts.insert(last) }
    }
    return facts
  }

  @Test("they end in one answer: in any order, repeated, and merged from two devices")
  func permutations() {
    // Releases are checked with ENTITLEMENT_PERMUTATIONS=1000000.
    let cases = ProcessInfo.processInfo.environment["ENTITLEMENT_PERMUTATIONS"].flatMap { Int($0) }
    checkLaw(cases: cases ?? 10_000) { random in
      var (transactions, renewals) = statements(&random)
      // Two statements with equal hashes are one statement.
      var seen: Set<StatementOrder> = []
      transactions = transactions.filter { seen.insert($0.order).inserted }
      renewals = renewals.filter { seen.insert($0.order).inserted }
      let whole = expected(transactions, renewals)

      var phone = EntitlementFacts()
      var tablet = EntitlementFacts()
      for fact in (transactions + transactions.prefix(2)).shuffled(using: &random) {
        if random.oneIn(2) { phone.insert(fact) } else { tablet.insert(fact) }
      }
      for fact in renewals.shuffled(using: &random) {
        if random.oneIn(2) { phone.insert(fact) } else { tablet.insert(fact) }
      }
      let before = phone
      phone.merge(tablet)
      tablet.merge(before)
      var again = phone
      again.merge(tablet)

      let completed = CompletedFasts(
        (0..<UInt8.random(in: 0...12, using: &random)).map {
          RecordUUID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)))
        })
      let now = Facts.time(Int64.random(in: 0...600, using: &random))
      let states = [whole, phone, tablet, again].map {
        EntitlementEvidence(facts: $0, completed: completed, isComplete: true).state(at: now)
      }
      return phone == whole && tablet == whole && again == whole && Set(states).count == 1
        && states[0] != .unknown
    }
  }

  /// Whether the statements grant premium, implemented independently of the code under test: the
  /// latest statement of each purchase counts.
  private func isPremium(
    _ transactions: [TransactionFact], _ renewals: [RenewalFact], at now: WallTime
  ) -> Bool {
    func latest<Fact, ID: Hashable>(
      _ facts: [Fact], by id: (Fact) -> ID, _ order: (Fact) -> StatementOrder
    ) -> [Fact] {
      Dictionary(grouping: facts, by: id).values.compactMap { $0.max { order($0) < order($1) } }
    }
    let purchases = latest(transactions, by: \.id, \.order)
    let isInForce = purchases.contains { fact in
      guard fact.id.environment == .production, fact.revoked == nil else { return false }
      guard let expires = fact.expires else { return true }
      return expires > now
    }
    let isInGrace = latest(renewals, by: \.originalID, \.order).contains { renewal in
      guard let end = renewal.graceExpires, end > now else { return false }
      let periods = purchases.filter { $0.originalID == renewal.originalID && $0.expires != nil }
      let last = periods.sorted { ($0.expires ?? now, $0.order) < ($1.expires ?? now, $1.order) }
      return last.last.map { $0.revoked == nil } ?? false
    }
    return isInForce || isInGrace
  }

  @Test("a device that misses some grants what it holds grants, and never says free")
  func withheld() {
    checkLaw(cases: 5_000) { random in
      var (transactions, renewals) = statements(&random)
      var seen: Set<StatementOrder> = []
      transactions = transactions.filter { seen.insert($0.order).inserted && !random.oneIn(3) }
      renewals = renewals.filter { seen.insert($0.order).inserted && !random.oneIn(3) }
      var facts = EntitlementFacts()
      for fact in transactions.shuffled(using: &random) { facts.insert(fact) }
      for fact in renewals.shuffled(using: &random) { facts.insert(fact) }
      let evidence = EntitlementEvidence(
        facts: facts, completed: CompletedFasts(), isComplete: false)
      let now = Facts.time(Int64.random(in: 0...600, using: &random))
      let state = evidence.state(at: now)
      return state == (isPremium(transactions, renewals, at: now) ? .premium : .unknown)
    }
  }

  @Test("a changed, cut or spliced statement never verifies")
  func noise() throws {
    let bench = try Bench()
    let jws = try bench.authority.sign(Payload().text)
    let other = try TestAuthority().sign(Payload().text)
    checkLaw(cases: 400) { random in
      var changed = jws
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let place = Int.random(in: 0..<changed.count, using: &random)
        changed[place] ^= UInt8.random(in: 1...255, using: &random)
      case 1: changed.removeLast(Int.random(in: 1...changed.count, using: &random))
      case 2:
        let place = Int.random(in: 1..<changed.count, using: &random)
        changed = Array(changed[..<place] + other.dropFirst(place))
        if changed == jws { return true }
      default:
        let place = Int.random(in: 0...changed.count, using: &random)
        changed.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
      return bench.refusal(of: changed) != nil
    }
  }

  @Test("bytes of any sort never trap the parser")
  func anyBytes() throws {
    let bench = try Bench()
    let header = TestAuthority.base64URL(
      Array(TestAuthority.header(bench.authority.chain).utf8))
    let alphabet = Array("{}[]\":,\\u0d8e+-.truefalsn 1\u{0}\u{E9}".utf8)
    checkLaw(cases: 3_000) { random in
      let payload = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let signature = TestAuthority.base64URL([UInt8](repeating: 7, count: 64))
      let text = header + "." + TestAuthority.base64URL(payload) + "." + signature
      return bench.refusal(of: Array(text.utf8)) != nil
    }
  }
}
