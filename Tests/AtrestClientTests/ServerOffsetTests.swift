// SPDX-License-Identifier: Apache-2.0
// The estimated offset of the server's clock, and its uncertainty.

import AtrestReplication
import AtrestWire
import Testing

@testable import AtrestClient
@testable import AtrestSync

@Suite("How far this device's clock is off", .timeLimit(.minutes(20)))
struct ServerOffsetTests {
  @Test("an answer that came at once tells, whatever was believed")
  func newest() {
    var offset = ServerOffset(milliseconds: 7_200_000)
    offset.learn(WallTime(milliseconds: 0), now: WallTime(milliseconds: 3_600_000))
    #expect(offset.milliseconds == -3_600_000)
    #expect(offset.corrected(WallTime(milliseconds: 3_600_001)) == WallTime(milliseconds: 1))
    #expect(offset.shown(WallTime(milliseconds: 1)) == WallTime(milliseconds: 3_600_001))
  }

  /// The estimates before and after a response that took an hour.
  struct Late: Sendable {
    var believed: Int64
    var offset: Int64
  }

  /// A laptop that sleeps during a call reads the response when it wakes: the server's clock has
  /// moved on.
  @Test(
    "an answer that took an hour leaves an hour's doubt: what was believed stays if it lies within",
    arguments: [
      Late(believed: 0, offset: 0), Late(believed: -1_800_000, offset: -1_800_000),
      Late(believed: -3_600_000, offset: -3_600_000),
      Late(believed: -3_600_001, offset: -3_600_000),
      Late(believed: 1, offset: 0), Late(believed: 86_400_000, offset: 0),
      Late(believed: -86_400_000, offset: -3_600_000),
    ])
  func late(case late: Late) {
    var offset = ServerOffset(milliseconds: late.believed)
    // The clocks agree. The response was written when the request arrived.
    offset.learn(
      WallTime(milliseconds: 0), now: WallTime(milliseconds: 3_600_000), waited: 3_600_000)
    #expect(offset.milliseconds == late.offset)
  }

  @Test("a wait of seconds is no doubt", arguments: [0, 1999, 2000] as [Int64])
  func atOnce(waited: Int64) {
    var offset = ServerOffset(milliseconds: 500)
    offset.learn(WallTime(milliseconds: 0), now: WallTime(milliseconds: 100), waited: waited)
    #expect(offset.milliseconds == -100)
  }

  @Test("an event was under way for nobody knows how long: it is at least so late")
  func event() {
    var offset = ServerOffset(milliseconds: 5000)
    offset.learn(WallTime(milliseconds: 0), now: WallTime(milliseconds: 1000), waited: nil)
    #expect(offset.milliseconds == 5000)
    offset.learn(WallTime(milliseconds: 9000), now: WallTime(milliseconds: 1000), waited: nil)
    #expect(offset.milliseconds == 8000)
  }

  /// The clock was set by a year during the call, so the wall clock does not tell how long the call
  /// took.
  @Test("the wait is measured by the clock that nobody sets")
  func measured() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let year: Int64 = 365 * 24 * 3_600_000
    test.clock.uptime = 1000
    var transport = ModelTransport(server: server)
    transport.meanwhile = { _ in
      test.clock.advance(year)
      test.clock.uptime = 1500
    }
    try await test.engine(transport).sync()
    #expect(try test.replica.status().serverOffsetMilliseconds == -year)
    // A laptop that slept during the call keeps its estimate.
    transport.meanwhile = { _ in
      test.clock.advance(3_600_000)
      test.clock.uptime = 3_601_500
    }
    try await test.engine(transport).sync()
    #expect(try test.replica.status().serverOffsetMilliseconds == -year)
  }

  @Test("requests tell what the device's clock shows, and answers whether the server's is doubtful")
  func doubtful() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    test.clock.advance(123_456)
    try await test.sync(server)
    #expect(server.requests.last?.deviceTime == test.clock.now())
    #expect(try !test.replica.status().isServerClockDoubtful)
    for isDoubtful in [true, false] {
      server.state.withLock { $0.isClockDoubtful = isDoubtful }
      try await test.sync(server)
      #expect(try test.reopened().status().isServerClockDoubtful == isDoubtful)
    }
  }

  @Test("no time is too large")
  func extremes() {
    var offset = ServerOffset(milliseconds: .max)
    #expect(offset.corrected(WallTime(milliseconds: 1)) == WallTime(milliseconds: 1))
    #expect(offset.shown(WallTime(milliseconds: -2)) == WallTime(milliseconds: -2))
    offset.learn(WallTime(milliseconds: .max), now: WallTime(milliseconds: .min))
    #expect(offset.milliseconds == 0)
    offset.learn(WallTime(milliseconds: .max), now: WallTime(milliseconds: 0), waited: .max)
    #expect(offset.milliseconds == .max)
  }

  @Test("a few seconds are no reason to correct a clock")
  func tolerated() {
    #expect(ServerOffset(milliseconds: 2000).correction == 0)
    #expect(ServerOffset(milliseconds: -2001).correction == -2001)
  }
}
