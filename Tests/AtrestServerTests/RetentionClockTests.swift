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

  @Test(
    "it goes on from what the store kept, wherever the wall clock was set meanwhile",
    arguments: [-100, 3, 100] as [Int64])
  func stopped(days: Int64) {
    let before = machine.start()
    machine.pass(5000)
    let mark = before.mark
    machine.wall.withLock { $0 += days * day }
    let after = machine.start(mark)
    machine.pass(7)
    #expect(since(noon, after) == 5007)
  }

  @Test("the uptime of a machine that was started again begins at nothing")
  func startedAgain() {
    let before = machine.start()
    machine.pass(5000)
    let mark = before.mark
    machine.uptime.withLock { $0 = 0 }
    let after = machine.start(mark)
    machine.pass(7)
    #expect(since(noon, after) == 5007)
  }

  @Test("it never goes back, and no mark of a damaged store stops it")
  func hostile() {
    for wall in [Int64.min, -1, 0, 1, .max] {
      for time in [Int64.min, 1, .max] {
        let mark = RetentionClock.Mark(
          time: WallTime(milliseconds: time), wall: WallTime(milliseconds: wall))
        let clock = machine.start(mark)
        machine.pass(1)
        #expect(clock.mark.time >= mark.time)
      }
    }
  }

  @Test("a store keeps the clock with what it writes")
  func kept() throws {
    let folder = try Folder()
    let mark = RetentionClock.Mark(
      time: WallTime(milliseconds: noon + 7), wall: WallTime(milliseconds: noon))
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
}
