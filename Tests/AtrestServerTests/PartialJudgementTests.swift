// SPDX-License-Identifier: Apache-2.0
// Requests that would make the server write very much are judged in parts.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class PartialJudgementTests: TwoDevices {
  @Test(
    "of a request that would write very much a part is judged, and the rest when it is asked again")
  func judgedInParts() throws {
    let offers = [offer(water(1)), [0xFF], offer(water(2)), offer(water(3)), [0xFF]]
    let limits = ExchangeLimits(writtenBytes: 1)
    var (through, told) = ([UInt64](), position(0, 0))
    var refused: [UInt64] = []
    while through.last != 5, through.count < 9 {
      let number = told.number + 1
      let answer = try store.exchange(
        kim,
        segment(
          Array(offers[Int(told.number)...]), from: number, token: 10 + number,
          confirmed: told.token, told: told.number),
        limits: limits)
      refused += answer.refusals.map { number + UInt64($0.index) }
      told = try #require(answer.takenThrough)
      through.append(told.number)
    }
    #expect(through == [2, 3, 5])
    #expect(refused == [2, 5])
    #expect(
      try store.exchange(kim, request(), by: tablet).decodedRecords == [
        water(1), water(2), water(3),
      ])
  }

  /// Each small offer beats every field of a record of 60 KiB, so that each field's entry holds it.
  @Test("a small request does not write more than a bounded number of bytes of journal entries")
  func amplified() throws {
    func record(_ number: UInt8, _ time: Int64, bytes: Int, by device: ReplicaID) throws -> Record {
      try #require(
        Record(
          key: RecordKey(kind: RecordKind(rawValue: 900), id: [number]),
          registers: (2...5).map {
            Register(
              field: $0, stamp: stamp(time, device), value: [UInt8](repeating: number, count: bytes)
            )
          }))
    }
    let numbers = UInt8(1)...60
    for number in numbers {
      let large = try record(number, noon, bytes: 15_000, by: tablet)
      _ = try store.exchange(kim, request(nil, large), by: tablet)
    }
    let offers = try numbers.map { offer(try record($0, noon + 1, bytes: 1, by: phone)) }
    let before = try store.holdings(of: kim).bytes
    let answer = try store.exchange(kim, segment(offers, from: 1, token: 10))
    let through = try #require(answer.takenThrough).number
    #expect(through > 4 && through < 10)
    #expect(try store.holdings(of: kim).bytes - before < ExchangeLimits().writtenBytes + 400_000)
  }

  @Test("offers that a server left unjudged are judged when they are offered with later ones")
  func unjudgedStays() throws {
    let limits = ExchangeLimits(writtenBytes: 1)
    let first = segment([offer(water(1)), offer(water(2))], from: 1, token: 10)
    #expect(try store.exchange(kim, first, limits: limits).takenThrough == position(1, 10))
    // The device knows of the first only, and offers the second with another.
    let rest = segment(
      [offer(water(2)), offer(water(3))], from: 2, token: 11, confirmed: 10, told: 1, settled: 1)
    #expect(try store.exchange(kim, rest).takenThrough == position(3, 11))
    #expect(try store.exchange(kim, request(), by: tablet).decodedRecords.count == 3)
  }

  @Test("without numbers, what would write too much at once is refused until it is offered alone")
  func partsWithoutNumbers() throws {
    let offers = [offer(water(1)), offer(water(2)), offer(water(3))]
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: offers), limits: ExchangeLimits(writtenBytes: 1))
    #expect(answer.refusals.map(\.index) == [1, 2])
    #expect(answer.refusals.allSatisfy { $0.reason == .quota })
    #expect(try store.exchange(kim, request(), by: tablet).decodedRecords == [water(1)])
  }
}
