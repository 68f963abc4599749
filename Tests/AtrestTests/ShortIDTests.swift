// SPDX-License-Identifier: Apache-2.0
// How much of an ID is shown, and what a prefix matches.

import AtrestCommandLine
import AtrestCompanion
import AtrestTestSupport
import Foundation
import Testing

@testable import atrest

@Suite("Short ids", .timeLimit(.minutes(20)))
struct ShortIDTests {
  private func find(_ typed: String, _ ids: [String]) throws -> String {
    try ShortID.find(typed, in: ids, noun: "fast", id: { $0 }, describe: { "words of \($0)" })
  }

  @Test("show eight digits where that is enough, and as many more as it takes")
  func shortened() {
    let ids = ["3f2a000011", "3f2a000022", "77aabbccdd", "3f2a000023"]
    #expect(
      ShortID.shortened(ids) == [
        "3f2a000011": "3f2a00001", "3f2a000022": "3f2a000022", "3f2a000023": "3f2a000023",
        "77aabbccdd": "77aabbcc",
      ])
    #expect(ShortID.shortened(["ab", "ab"]) == ["ab": "ab"])
    #expect(ShortID.shortened([]).isEmpty)
  }

  @Test("of a UUID are its digits in lower case")
  func digits() {
    let id = RecordUUID.random()
    #expect(ShortID.hex(id) == id.uuidString.lowercased().filter { $0 != "-" })
  }

  @Test("what is shown finds what it stands for, and nothing else", arguments: [1, 2, 3, 0x5f3a91])
  func roundTrip(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let ids = (0..<500).map { _ in
      // Few different digits, so that many prefixes are shared.
      String((0..<16).map { _ in Bool.random(using: &generator) ? "0" : "1" })
    }
    for (id, short) in ShortID.shortened(ids) {
      try #require(try find(short, Array(Set(ids))) == id, "\(short) of \(id)")
    }
  }

  @Test("are found by their beginning, in any case, with hyphens or without")
  func prefix() throws {
    let ids = ["3f2a000011112222", "77aabbccddeeff00"]
    #expect(try find("3", ids) == ids[0])
    #expect(try find("77AA-BBCC", ids) == ids[1])
    #expect(try find(ids[0], ids) == ids[0])
  }

  @Test("a whole id wins over one that is longer")
  func exact() throws {
    #expect(try find("3f2a", ["3f2a", "3f2a00"]) == "3f2a")
  }

  @Test("that match several name how many, and show them")
  func ambiguous() {
    let ids = ["3f2a000011", "3f2a000022", "77"]
    let problem = IDProblem.ambiguous(
      noun: "fast", count: 2,
      matches: ["3f2a00001  words of 3f2a000011", "3f2a00002  words of 3f2a000022"])
    #expect(throws: problem) { try find("3f2a", ids) }
    #expect(problem.userMessage.hasPrefix("2 fasts have an id that begins so."))
    let many = IDProblem.ambiguous(noun: "entry", count: 12, matches: ["a", "b"])
    #expect(many.userMessage.contains("12 entries"))
    #expect(many.userMessage.contains("and 10 more"))
  }

  @Test("at most ten of many are shown")
  func bounded() {
    let ids = (0..<100).map { "aa" + ShortID.hex(UInt64($0)) }
    do {
      _ = try find("aa", ids)
      Issue.record("a hundred ids begin so")
    } catch IDProblem.ambiguous(_, let count, let matches) {
      #expect(count == 100 && matches.count == 10)
    } catch {
      Issue.record(error)
    }
  }

  @Test("that match nothing, or are none, are refused")
  func unknown() {
    #expect(throws: IDProblem.unknown(noun: "fast")) { try find("88", ["77"]) }
    for typed in ["", "-", "xyz", "3f 2a", "３f", String(repeating: "a", count: 10_000)] {
      #expect(throws: IDProblem.notAnID) { try find(typed, ["77"]) }
    }
  }

  @Test("digits keep their zeros")
  func hex() {
    #expect(ShortID.hex(0x0102) == "0000000000000102")
    #expect(ShortID.hex([0x00, 0x0F, 0xF0] as [UInt8]) == "000ff0")
  }
}
