// SPDX-License-Identifier: Apache-2.0
import AtrestDomain
import Replication
import SyncProtocol
import Testing

@testable import AtrestClient

@Suite("How far this device's clock is off")
struct ServerOffsetTests {
  static let hour: Int64 = 3_600_000

  /// What is believed after an answer that said it was 0 o'clock, asked for and read at these times.
  private func offset(
    believed: Int64 = 0, sent: Int64, now: Int64
  ) -> Int64 {
    var offset = ServerOffset(milliseconds: believed)
    offset.learn(
      WallTime(milliseconds: 0), sent: WallTime(milliseconds: sent),
      now: WallTime(milliseconds: now))
    return offset.milliseconds
  }

  @Test("a prompt answer tells how far ahead or behind it is")
  func prompt() {
    #expect(offset(sent: Self.hour, now: Self.hour + 40) == -Self.hour)
    #expect(offset(sent: -Self.hour - 40, now: -Self.hour) == Self.hour)
    #expect(offset(believed: 7 * Self.hour, sent: -10, now: 10) == 10, "the clock was put right")
  }

  @Test("an answer read late tells no more than it can, whatever was believed")
  func late() {
    #expect(offset(sent: -10, now: 9 * Self.hour) == 0, "the device slept on the answer")
    #expect(offset(sent: -9 * Self.hour, now: 10) == 0, "the request was under way for long")
    #expect(offset(believed: -5000, sent: -10, now: 9 * Self.hour) == -5000)
    #expect(offset(believed: 5000, sent: -10, now: 9 * Self.hour) == 10)
  }

  @Test("a clock that was set while the answer was under way is believed on neither side")
  func setMeanwhile() {
    #expect(offset(sent: 2 * Self.hour, now: -Self.hour) == 0)
    #expect(offset(sent: 2 * Self.hour, now: Self.hour) == -Self.hour)
  }

  @Test("news only tells that the server's clock is not behind it")
  func news() {
    var offset = ServerOffset()
    offset.learn(WallTime(milliseconds: 0), now: WallTime(milliseconds: 9 * Self.hour))
    #expect(offset.milliseconds == 0, "the news waited to be read")
    offset.learn(WallTime(milliseconds: 0), now: WallTime(milliseconds: -Self.hour))
    #expect(offset.milliseconds == Self.hour)
  }

  @Test("no time is too large")
  func extremes() {
    #expect(offset(sent: .min, now: .max) == 0)
    var offset = ServerOffset(milliseconds: .max)
    #expect(offset.corrected(WallTime(milliseconds: 1)) == WallTime(milliseconds: 1))
    offset.learn(WallTime(milliseconds: .max), now: WallTime(milliseconds: .min))
    #expect(offset.milliseconds == .max)
  }

  @Test("a few seconds are no reason to correct a clock")
  func tolerated() {
    #expect(ServerOffset(milliseconds: 2000).correction == 0)
    #expect(ServerOffset(milliseconds: -2001).correction == -2001)
  }

  @Test("what is written after a device slept on an answer is as late as it was")
  func sleptOnAnAnswer() async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    let test = try TestReplica(clock: clock)
    try test.pair(1)
    let sent = clock.now()
    let request = ExchangeRequest(cursor: nil)
    let answer = try server.exchange(request)
    clock.advance(9 * Self.hour)
    _ = try await test.replica.apply(
      answer, to: request, page: OutboxPage(), sent: sent, at: clock.now())

    try test.replica.save(WaterEntry.sample())
    let stamped = try test.offers().compactMap { $0.record.latestTime?.wallTime }
    #expect(stamped == [clock.now()])
  }
}
