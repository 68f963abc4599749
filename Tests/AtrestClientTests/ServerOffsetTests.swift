// SPDX-License-Identifier: Apache-2.0
import Replication
import Testing

@testable import AtrestClient

@Suite("How far this device's clock is off")
struct ServerOffsetTests {
  @Test("the newest answer tells, whatever was believed")
  func newest() {
    var offset = ServerOffset(milliseconds: 7_200_000)
    offset.learn(WallTime(milliseconds: 0), now: WallTime(milliseconds: 3_600_000))
    #expect(offset.milliseconds == -3_600_000)
    #expect(offset.corrected(WallTime(milliseconds: 3_600_001)) == WallTime(milliseconds: 1))
    #expect(offset.shown(WallTime(milliseconds: 1)) == WallTime(milliseconds: 3_600_001))
  }

  @Test("no time is too large")
  func extremes() {
    var offset = ServerOffset(milliseconds: .max)
    #expect(offset.corrected(WallTime(milliseconds: 1)) == WallTime(milliseconds: 1))
    #expect(offset.shown(WallTime(milliseconds: -2)) == WallTime(milliseconds: -2))
    offset.learn(WallTime(milliseconds: .max), now: WallTime(milliseconds: .min))
    #expect(offset.milliseconds == 0)
  }

  @Test("a few seconds are no reason to correct a clock")
  func tolerated() {
    #expect(ServerOffset(milliseconds: 2000).correction == 0)
    #expect(ServerOffset(milliseconds: -2001).correction == -2001)
  }
}
