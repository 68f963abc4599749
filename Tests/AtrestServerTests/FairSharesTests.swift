// SPDX-License-Identifier: Apache-2.0
// Fair queueing: a party gets no larger share by asking for more.

import AtrestTestSupport
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct FairSharesTests {
  /// Serves turns of given costs. A party waits again after each turn while it has costs left.
  private func serve(_ costs: [String: [UInt64]], of turns: Int) -> [String] {
    var (shares, left) = (FairShares<String>(), costs)
    for party in costs.keys.sorted() { shares.wait(party) }
    return (0..<turns).compactMap { _ in
      guard let party = shares.next(), let cost = left[party]?.removeFirst() else { return nil }
      shares.charge(party, cost)
      if left[party]?.isEmpty == false { shares.wait(party) }
      return party
    }
  }

  @Test("turns of equal cost go round")
  func round() {
    let order = serve(["a": [5, 5, 5], "b": [5], "c": [5, 5]], of: 9)
    #expect(order == ["a", "b", "c", "a", "c", "a"])
  }

  @Test("whoever had an expensive turn waits until the others have had as much")
  func expensive() {
    let order = serve(["a": [30, 1], "b": Array(repeating: 10, count: 9)], of: 6)
    #expect(order == ["a", "b", "b", "b", "a", "b"])
  }

  @Test("nobody saves turns up by staying away, and nobody is rid of a charge by it")
  func away() {
    var shares = FairShares<String>()
    for _ in 0..<100 {
      shares.wait("busy")
      #expect(shares.next() == "busy")
      shares.charge("busy", 10)
    }
    // A new party has no credit of 1,000, but at most one turn before the busy one's next.
    shares.wait("busy")
    shares.wait("new")
    #expect(shares.next() == "new")
    shares.charge("new", 50)
    shares.wait("new")
    #expect(shares.next() == "busy")
    shares.charge("busy", 10)
    // The new party left for a moment, but its charge still counts.
    shares.wait("busy")
    #expect(shares.next() == "busy")
  }

  @Test("a party that waits already waits once")
  func twice() {
    var shares = FairShares<String>()
    shares.wait("a")
    shares.wait("a")
    #expect(shares.next() == "a")
    #expect(shares.next() == nil && shares.isEmpty)
  }

  @Test("a turn that cost nothing counts, or there would be no end of them")
  func free() {
    #expect(serve(["a": [0, 0, 0], "b": [0, 0]], of: 5) == ["a", "b", "a", "b", "a"])
  }

  /// The bound of Goyal, Vin and Cheng.
  @Test("parties that always wait have had the same, but for one turn of each")
  func bound() {
    checkLaw(cases: 500) { random in
      let parties = Array(0..<Int.random(in: 2...9, using: &random))
      let costliest = UInt64.random(in: 1...100, using: &random)
      var shares = FairShares<Int>()
      var had = parties.map { _ in UInt64(0) }
      for party in parties { shares.wait(party) }
      for _ in 0..<300 {
        guard let party = shares.next() else { return false }
        // The first party is greedy: each of its turns has the maximum cost.
        let cost = party == 0 ? costliest : UInt64.random(in: 1...costliest, using: &random)
        shares.charge(party, cost)
        had[party] += cost
        shares.wait(party)
        guard let most = had.max(), let least = had.min(), most - least <= 2 * costliest else {
          return false
        }
      }
      return true
    }
  }

  @Test("order holds with thousands of parties, whoever comes and goes")
  func many() {
    checkLaw(cases: 50) { random in
      var shares = FairShares<Int>()
      var waiting: Set<Int> = []
      for _ in 0..<2000 {
        if random.oneIn(3), let party = shares.next() {
          guard waiting.remove(party) != nil else { return false }
          shares.charge(party, UInt64.random(in: 0...9, using: &random))
        } else {
          let party = Int.random(in: 0..<5000, using: &random)
          shares.wait(party)
          waiting.insert(party)
        }
        guard shares.isEmpty == waiting.isEmpty else { return false }
      }
      while let party = shares.next() { waiting.remove(party) }
      return waiting.isEmpty
    }
  }
}
