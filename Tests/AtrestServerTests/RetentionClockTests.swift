// SPDX-License-Identifier: Apache-2.0
// What grows old by which clock, when the wall clock is wrong.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct RetentionClockTests {
  /// A machine's clocks.
  private final class Machine: Sendable {
    let wall = Mutex(noon)
    let uptime = Mutex(Int64(1000))

    func pass(_ milliseconds: Int64) {
      wall.withLock { $0 += milliseconds }
      uptime.withLock { $0 += milliseconds }
    }

    var now: WallTime { WallTime(milliseconds: wall.withLock { $0 }) }

    var environment: Environment {
      Environment(
        now: { self.now }, random: { [UInt8](repeating: 1, count: $0) },
        uptime: { self.uptime.withLock { $0 } })
    }

    /// A start of the server.
    func start(_ mark: RetentionClock.Mark = RetentionClock.Mark()) -> RetentionClock {
      RetentionClock(mark, environment)
    }
  }

  private let machine = Machine()
  private let day: Int64 = 24 * 3_600_000

  private func since(_ start: Int64, _ clock: RetentionClock) -> Int64 {
    clock.mark.time.milliseconds(since: WallTime(milliseconds: start))
  }

  @Test(
    "it runs with the uptime, wherever the wall clock is set", arguments: [-100, 100] as [Int64])
  func set(days: Int64) {
    let clock = machine.start()
    machine.pass(5000)
    machine.wall.withLock { $0 += days * day }
    machine.pass(5000)
    #expect(since(noon, clock) == 10_000)
  }

  @Test("time in which no server ran counts once devices agree with the wall clock")
  func stopped() {
    let before = machine.start()
    before.agree()
    machine.pass(5000)
    let mark = before.mark
    machine.pass(3 * day)
    let after = machine.start(mark)
    #expect(since(noon, after) == 5000)
    after.agree()
    #expect(since(noon, after) == 5000 + 3 * day)
  }

  @Test("also over a start at which nothing was written")
  func stoppedTwice() {
    let before = machine.start()
    before.agree()
    let mark = before.mark
    machine.pass(3 * day)
    _ = machine.start(mark)
    machine.pass(2 * day)
    let after = machine.start(mark)
    after.agree()
    #expect(since(noon, after) == 5 * day)
  }

  @Test("of a clock that no device ever agreed with, only the uptime counts")
  func neverAgreed() {
    let before = machine.start()
    machine.pass(5000)
    let mark = before.mark
    machine.pass(3 * day)
    let after = machine.start(mark)
    after.agree()
    machine.pass(7)
    #expect(since(noon, after) == 5007)
  }

  /// A server whose clock is far behind, and is set right while it runs.
  @Test("a correction is no time that passed, not even once devices agree, nor after a start")
  func corrected() {
    let clock = machine.start()
    clock.agree()
    machine.wall.withLock { $0 += 100 * day }
    clock.agree()
    machine.pass(5000)
    clock.agree()
    #expect(since(noon, clock) == 5000)
    let again = machine.start(clock.mark)
    machine.pass(day)
    again.agree()
    #expect(since(noon, again) == 5000 + day)
  }

  /// Before anything else looked at the clocks.
  @Test("a write after a step keeps no agreement from before it")
  func setBeforeAWrite() {
    let clock = machine.start()
    clock.agree()
    machine.wall.withLock { $0 -= 20 * day }
    let again = machine.start(clock.mark)
    machine.wall.withLock { $0 += 20 * day }
    again.agree()
    #expect(since(noon, again) == 0)
  }

  @Test("what is noted before devices agree again is dated as if they did")
  func dated() {
    let before = machine.start()
    before.agree()
    let mark = before.mark
    machine.pass(3 * day)
    let after = machine.start(mark)
    #expect(since(noon, after) == 0)
    #expect(after.date().date == machine.now)
    after.agree()
    #expect(after.date().date == machine.now && since(noon, after) == 3 * day)
  }

  /// A server was down for 84 days, and began with a wall clock that was three years behind.
  @Test(
    "nothing is counted that would age what was dated by a clock that was behind",
    arguments: [true, false])
  func datedBehind(startsAgain: Bool) {
    let before = machine.start()
    before.agree()
    let mark = before.mark
    machine.pass(84 * day)
    machine.wall.withLock { $0 -= 1000 * day }
    var clock = machine.start(mark)
    let (next, date) = clock.date()
    machine.wall.withLock { $0 += 1000 * day }
    if startsAgain { clock = machine.start(next) }
    clock.agree()
    #expect(clock.mark.time == date)
  }

  /// The wall clock is slewed, by steps too small to be noticed.
  @Test("no more is counted than the earliest date allows")
  func datedSlowly() {
    let before = machine.start()
    before.agree()
    let mark = before.mark
    machine.pass(day)
    machine.wall.withLock { $0 -= 50_000 }
    let after = machine.start(mark)
    let date = after.date().date
    machine.wall.withLock { $0 += 50_000 }
    #expect(after.date().date == date)
    after.agree()
    #expect(after.mark.time == date)
  }

  @Test("it never goes back, and no mark of a damaged store stops it")
  func hostile() {
    for wall in [Int64.min, -1, 0, 1, .max] {
      for time in [Int64.min, 1, .max] {
        let mark = RetentionClock.Mark(
          time: WallTime(milliseconds: time), wall: WallTime(milliseconds: wall), isAgreed: true)
        let clock = machine.start(mark)
        clock.agree()
        machine.pass(1)
        #expect(clock.mark.time >= mark.time)
      }
    }
  }

  @Test("a store keeps the clock with what it writes")
  func kept() throws {
    let folder = try Folder()
    let mark = RetentionClock.Mark(
      time: WallTime(milliseconds: noon + 7), wall: WallTime(milliseconds: noon), isAgreed: true)
    let store = try openStore(folder)
    try store.transaction { t throws(StoreError) in
      t.note(mark)
      _ = try t.accounts.add(name: "kim", created: WallTime(milliseconds: noon))
    }
    #expect(store.clock == mark)
    store.close()
    let again = try openStore(folder)
    #expect(again.clock == mark)
    again.close()
  }

  @Test("what the clock monitor finds out, it tells the store's clock")
  func monitor() throws {
    let clock = machine.start()
    let registry = SessionRegistry()
    registry.add(account: AccountID(rawValue: 1), name: "kim")
    registry.add(
      DeviceEntry(
        replica: phone, account: AccountID(rawValue: 1), name: "phone", tokenHash: [],
        paired: machine.now))
    let monitor = ClockMonitor(
      environment: machine.environment, registries: [registry], retention: [clock],
      lastWritten: .epoch, logger: quiet)
    monitor.check()
    #expect(!clock.mark.isAgreed, "no device has called")
    registry.session(phone)?.note(clock: machine.now, at: machine.now)
    monitor.check()
    #expect(clock.mark.isAgreed)
    machine.wall.withLock { $0 += 100 * day }
    monitor.check()
    #expect(!clock.mark.isAgreed, "the phone's clock differs")
    registry.session(phone)?.note(clock: machine.now, at: machine.now)
    monitor.check()
    #expect(clock.mark.isAgreed)
  }
}
