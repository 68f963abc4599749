// SPDX-License-Identifier: Apache-2.0
// Turns, deadlines and actors on a shard.

import AtrestHTTP2
import Synchronization
import Testing

@testable import AtrestSockets

extension Sockets {
  @Suite(.timeLimit(.minutes(20))) struct ShardTests {
    @Test("posted work runs in order, on the shard, with one instant per turn")
    func order() async throws {
      let shard = try Shard(label: "test")
      let seen = Mutex<[Int]>([])
      #expect(!shard.isCurrent)
      for index in 0..<1_000 {
        shard.async {
          #expect(shard.isCurrent)
          #expect(shard.now == shard.now)
          seen.withLock { $0.append(index) }
        }
      }
      await shard.perform {}
      #expect(seen.withLock { $0 } == Array(0..<1_000))
      await shard.stop()
    }

    @Test("deadlines come in order of instant, not of scheduling; cancelled ones never")
    func deadlines() async throws {
      let shard = try Shard(label: "test")
      let order: [Int] = await withCheckedContinuation { done in
        shard.async {
          let log = Log()
          let start = shard.now
          func after(_ milliseconds: Int) -> Instant {
            start.advanced(by: .milliseconds(milliseconds))
          }
          for wait in [30, 10, 20, 5] {
            shard.schedule(at: after(wait)) {
              #expect(shard.now >= after(wait), "too early")
              log.entries.append(wait)
            }
          }
          shard.cancel(shard.schedule(at: after(15)) { log.entries.append(-1) })
          shard.schedule(at: after(30)) { done.resume(returning: log.entries) }
        }
      }
      #expect(order == [5, 10, 20, 30])
      await shard.stop()
    }

    @Test("a deadline that renews itself for the past does not keep others from running")
    func greedyDeadline() async throws {
      let shard = try Shard(label: "test")
      await shard.perform { Self.renew(on: shard) }
      await shard.perform {}  // Would never return if the first turn never ended.
      await shard.stop()
    }

    private static func renew(on shard: Shard) {
      shard.schedule(at: shard.now) { renew(on: shard) }
    }

    @Test("a shard that stops lets go of what was scheduled")
    func stopForgets() async throws {
      let shard = try Shard(label: "test")
      let isGone = Flag()
      await shard.perform {
        let held = Held(isGone)
        shard.schedule(at: shard.now.advanced(by: .seconds(3600))) { _ = held }
      }
      await shard.stop()
      #expect(isGone.isRaised)
    }

    @Test("an actor lives on its shard: jobs and plain callbacks are both isolated to it")
    func actors() async throws {
      let shard = try Shard(label: "test")
      let counter = Counter(shard: shard)
      for _ in 0..<100 { await counter.increment() }
      await shard.perform { counter.assumeIsolated { $0.count += 1 } }
      #expect(await counter.count == 101)
      await shard.stop()
    }

    @Test("what belongs to a shard travels through other threads, and is read at home")
    func bound() async throws {
      let shard = try Shard(label: "test")
      let box = await shard.perform { ShardBound(Log(), to: shard) }
      await shard.perform { box.value.entries.append(7) }
      #expect(await shard.perform { box.value.entries } == [7])
      await shard.stop()
    }

    #if compiler(>=6.2)
      @Test("touching a shard from elsewhere traps")
      func traps() async {
        await #expect(processExitsWith: .failure) {
          let shard = try Shard(label: "test")
          _ = shard.now
        }
      }
    #endif
  }
}

final class Log {
  var entries: [Int] = []
}

actor Counter {
  nonisolated let shard: Shard
  var count = 0

  init(shard: Shard) { self.shard = shard }

  nonisolated var unownedExecutor: UnownedSerialExecutor { shard.asUnownedSerialExecutor() }

  func increment() {
    #expect(shard.isCurrent)
    count += 1
  }
}

final class Flag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}

/// Raises a flag when it is released.
final class Held: Sendable {
  private let isGone: Flag
  init(_ isGone: Flag) { self.isGone = isGone }
  deinit { isGone.raise() }
}
