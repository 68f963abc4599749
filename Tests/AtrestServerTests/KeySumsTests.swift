// SPDX-License-Identifier: Apache-2.0
// Block sums equal the sum over the records, whatever changes in between and however small the
// slices are.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class KeySumsTests: OneAccount {
  private func put(_ records: [Record]) throws {
    for start in stride(from: 0, to: records.count, by: 500) {
      let page = records[start..<min(start + 500, records.count)].map(offer)
      _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: page))
    }
  }

  /// Catches up in slices of this many records.
  private func catchUp(_ sums: inout KeySums, by records: Int) throws -> Int {
    for turn in 1...10_000 {
      let isDone = try store.transaction { transaction throws(StoreError) in
        try sums.catchUp(transaction, records: records)
      }
      if isDone { return turn }
    }
    Issue.record("it does not end")
    return 0
  }

  private func key(_ number: Int) -> [UInt8] { water(number).key.storageKey }

  private func check(_ sums: KeySums, _ begin: [UInt8], _ end: [UInt8]) throws -> Bool {
    try store.transaction { transaction throws(StoreError) in
      var sum = Fingerprint()
      try transaction.records.scan(KeyInterval(from: begin, to: end), of: kim) { _, body in
        sum.add(Fingerprint.hash(ofRecord: body))
        return true
      }
      return try sums.fingerprint(begin, end, transaction) == sum
    }
  }

  @Test("nothing is one block, and holds nothing")
  func empty() throws {
    var sums = KeySums(of: kim, ComparisonSizes())
    #expect(try catchUp(&sums, by: 100) == 1 && sums.count == 1)
    #expect(try check(sums, [], []))
  }

  @Test("an account is read a slice at a time, and once")
  func slices() throws {
    try put((0..<1000).map { water($0) })
    var sums = KeySums(of: kim, ComparisonSizes())
    let turns = try catchUp(&sums, by: 2 * ComparisonSizes().blockRecords)
    #expect((3...5).contains(turns))
    #expect(sums.count == 8)
    #expect(try catchUp(&sums, by: 1) == 1, "nothing is left to read")
  }

  @Test("blocks that grew are parted")
  func growth() throws {
    try put(stride(from: 0, to: 1000, by: 10).map { water($0) })
    var sums = KeySums(of: kim, ComparisonSizes())
    _ = try catchUp(&sums, by: .max)
    #expect(sums.count == 1)
    try put((0..<1000).map { water($0) })
    _ = try catchUp(&sums, by: .max)
    #expect(sums.count == 8)
    #expect(try check(sums, [], []))
  }

  @Test("whatever is written between two slices, every range holds what its records add up to")
  func law() throws {
    var time = noon
    try checkLaw(cases: 30) { random in
      var sizes = ComparisonSizes()
      if random.oneIn(2) { sizes.blockRecords = Int.random(in: 1...10, using: &random) }
      var sums = KeySums(of: kim, sizes)
      for _ in 0..<4 {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          // Read a slice, with changes before and after its position.
          _ = try store.transaction { transaction throws(StoreError) in
            try sums.catchUp(transaction, records: Int.random(in: 1...300, using: &random))
          }
          time += 1
          try put(
            (0..<Int.random(in: 1...40, using: &random)).map { _ in
              water(Int.random(in: 0..<2000, using: &random), at: time)
            })
        }
        _ = try catchUp(&sums, by: Int.random(in: 100...1000, using: &random))
        for _ in 0..<10 {
          let (a, b) = (
            Int.random(in: 0..<2000, using: &random), Int.random(in: 0..<2000, using: &random)
          )
          let begin = random.oneIn(5) ? [] : key(min(a, b))
          let end = random.oneIn(5) ? [] : key(max(a, b) + 1)
          guard try check(sums, begin, end) else { return false }
        }
      }
      return true
    }
  }

  @Test("a long range is parted at blocks, into parts that hold all of it")
  func parts() throws {
    try put((0..<9000).map { water($0) })
    let asked = ReconcileRequest(
      ranges: [KeyRange(end: [], content: .fingerprint(Fingerprint(count: 9000, sum: 1)))])
    let answer = try store.reconcile(asked, account: kim, at: WallTime(milliseconds: noon))
    #expect((12...16).contains(answer.ranges.count))
    var (begin, whole) = ([UInt8](), Fingerprint())
    for range in answer.ranges {
      guard case .fingerprint(let sum) = range.content else {
        Issue.record("\(range)")
        continue
      }
      whole.add(sum)
      #expect((500...800).contains(sum.count) || range.end.isEmpty)
      begin = range.end
    }
    #expect(begin.isEmpty && whole.count == 9000)
  }
}
