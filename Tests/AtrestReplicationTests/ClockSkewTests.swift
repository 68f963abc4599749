// SPDX-License-Identifier: Apache-2.0
// Which stamps are too far ahead of a server's clock.

import AtrestReplication
import Testing

@Suite("A stamp ahead of the server's clock", .timeLimit(.minutes(20)))
struct ClockSkewTests {
  private let server = WallTime(milliseconds: 1_000_000)

  private func time(ahead milliseconds: Int64, steps: UInt64 = 0) -> HybridTime {
    HybridTime(rawValue: HybridTime(server.advanced(by: milliseconds)).rawValue + steps)
  }

  private func offer(
    _ time: HybridTime, over replaced: HybridTime?, written: Bool, isRestored: Bool
  ) throws -> Offer {
    let replica = ReplicaID(rawValue: 1)
    let register = Register(
      field: 2, stamp: Stamp(time: time, replica: replica),
      replaced: replaced.map { Stamp(time: $0, replica: replica) }, value: [1])
    let record = try #require(Record(key: .some, registers: [register]))
    return Offer(record: record, written: written ? [2] : [], isRestored: isRestored)
  }

  private func isRefused(
    _ time: HybridTime, over replaced: HybridTime? = nil, written: Bool = true,
    isRestored: Bool = false, latest: UInt64 = 0
  ) throws -> Bool {
    let offer = try offer(time, over: replaced, written: written, isRestored: isRestored)
    return !ClockSkew.fieldsTooFarAhead(of: server, in: offer) { HybridTime(rawValue: latest) }
      .isEmpty
  }

  @Test("is taken for a minute, whatever its counter, and not a millisecond longer")
  func minute() throws {
    #expect(try !isRefused(time(ahead: 60_000)))
    #expect(try !isRefused(time(ahead: 60_000, steps: 65_535)))
    #expect(try isRefused(time(ahead: 60_001)))
    #expect(!ClockSkew.isTooFarAhead(time(ahead: 60_000, steps: 65_535), of: server))
    #expect(ClockSkew.isTooFarAhead(time(ahead: 60_001), of: server))
  }

  @Test(
    "is taken where it follows what the account holds, or what a restored offer replaced, by few steps"
  )
  func follows() throws {
    let taken = time(ahead: 3_600_000)
    for steps in [1, ClockSkew.stepLimit, ClockSkew.stepLimit + 1] {
      let next = HybridTime(rawValue: taken.rawValue + steps)
      let isFar = steps > ClockSkew.stepLimit
      #expect(try isRefused(next, latest: taken.rawValue) == isFar)
      #expect(try isRefused(next, over: taken, isRestored: true) == isFar)
    }
  }

  @Test("is refused where it follows what it replaced: that may never have been taken")
  func unproven() throws {
    let refused = time(ahead: 3_600_000)
    let next = HybridTime(rawValue: refused.rawValue + 1)
    #expect(try isRefused(next, over: refused))
    #expect(try isRefused(refused, over: next))
  }

  @Test("is taken up to a hundred years ahead where it was acknowledged before")
  func acknowledged() throws {
    let limit = ClockSkew.acknowledgedLimitMilliseconds
    #expect(try !isRefused(time(ahead: limit), written: false))
    #expect(try isRefused(time(ahead: limit, steps: 1), written: false))
    // A replaced stamp beyond the limit does not count as accepted.
    let far = time(ahead: limit, steps: 1)
    #expect(try isRefused(HybridTime(rawValue: far.rawValue + 1), over: far, isRestored: true))
  }
}
