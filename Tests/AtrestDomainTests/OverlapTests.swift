// SPDX-License-Identifier: Apache-2.0
// Fasts that claim the same time are found, whatever their order.

import AtrestReplication
import Testing

@testable import AtrestDomain

@Suite("Overlaps", .timeLimit(.minutes(20)))
struct OverlapTests {
  private func fast(
    _ id: UInt8, _ start: Int64, _ end: Int64?, _ outcome: Session.Outcome = .completed
  ) throws -> Session {
    let hour = Milliseconds.perHour
    let span = Session.Span(
      start: WallTime(milliseconds: start * hour),
      end: end.map { WallTime(milliseconds: $0 * hour) }, outcome: outcome)
    return Session(
      id: try #require(RecordUUID(bytes: Array(repeating: id, count: 16))),
      span: try #require(span), targetMinutes: 960)
  }

  @Test("two completed fasts over one night overlap; fasts that touch do not")
  func pairs() throws {
    let (first, second) = (try fast(1, 0, 16), try fast(2, 10, 26))
    let third = try fast(3, 26, 40)
    let overlaps = Overlap.all(in: [third, second, first])
    #expect(overlaps == [Overlap(earlier: first, later: second)])
    #expect(Overlap.with(second, in: [first, second, third]) == [first])
    #expect(Overlap.with(third, in: [first, second, third]).isEmpty)
  }

  @Test("each pair is found once, the latest first; equal fasts overlap")
  func several() throws {
    let long = try fast(1, 0, 100)
    let (inside, twin, last) = (try fast(2, 10, 20), try fast(3, 10, 20), try fast(4, 90, 110))
    let pairs = Overlap.all(in: [long, inside, twin, last]).map {
      [$0.earlier.id.bytes[0], $0.later.id.bytes[0]]
    }
    #expect(pairs == [[1, 4], [2, 3], [1, 3], [1, 2]])
  }

  @Test("of very many, so many as are looked for are found, and the others cost nothing")
  func limited() throws {
    let sessions = try (0..<UInt8(200)).map { try fast($0, Int64($0), 300) }
    #expect(Overlap.all(in: sessions, limit: 2).map(\.later) == [sessions[2], sessions[1]])
    #expect(Overlap.all(in: sessions).count == Overlap.limit)
  }

  @Test("shortened, a fast only touches the other; inside or around it nothing is right")
  func shortened() throws {
    let night = try fast(1, 10, 26)
    let (before, after) = (try fast(2, 0, 12), try fast(3, 20, 40))
    #expect(try Overlap.shortened(before, beside: night) == fast(2, 0, 10))
    #expect(try Overlap.shortened(after, beside: night) == fast(3, 26, 40))
    for other in [
      try fast(4, 12, 20), try fast(4, 10, 26), try fast(4, 0, 40), try fast(4, 0, 10),
      try fast(4, 30, 40),
    ] {
      #expect(Overlap.shortened(other, beside: night) == nil)
    }
  }

  @Test("what does not count has no tree, and overlaps nothing")
  func others() throws {
    let night = try fast(1, 0, 16)
    let sessions = [
      night, try fast(2, 2, 5), try fast(3, 1, 15, .abandoned), try fast(4, 3, nil, .active),
    ]
    #expect(Overlap.all(in: sessions).isEmpty)
    #expect(Overlap.with(sessions[2], in: sessions).isEmpty)
  }

  @Test("the sweep finds what comparing each with each finds")
  func property() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("overlaps: seed \(seed)")
    var state = seed
    func next(_ bound: Int64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> 33) % bound
    }
    for _ in 0..<200 {
      let sessions = try (0..<12).map { id -> Session in
        let start = next(60)
        return try fast(UInt8(id), start, start + 1 + next(30))
      }
      let found = Overlap.all(in: sessions).map { Set([$0.earlier.id, $0.later.id]) }
      let expected = Set(
        sessions.flatMap { a in Overlap.with(a, in: sessions).map { Set([a.id, $0.id]) } })
      #expect(Set(found) == expected && found.count == expected.count)
    }
  }
}
