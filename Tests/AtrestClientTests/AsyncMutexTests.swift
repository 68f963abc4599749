// SPDX-License-Identifier: Apache-2.0
// One task at a time holds the mutex, in the order of their calls.

import Synchronization
import Testing

@testable import AtrestClient

@Suite("A mutex of tasks", .timeLimit(.minutes(20)))
struct AsyncMutexTests {
  /// Who is inside.
  private final class Inside: Sendable {
    struct Counts {
      var now = 0
      var most = 0
      var entered = 0
    }
    private let counts = Mutex(Counts())

    var all: Counts { counts.withLock { $0 } }

    func enter() {
      counts.withLock {
        $0.now += 1
        $0.entered += 1
        $0.most = max($0.most, $0.now)
      }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
  }

  @Test("is held by one task at a time, whatever they wait for meanwhile")
  func exclusion() async {
    let mutex = AsyncMutex()
    let inside = Inside()
    await withTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          await mutex.lock()
          inside.enter()
          // Whoever else could enter would do so now.
          for _ in 0..<20 { await Task.yield() }
          inside.leave()
          await mutex.unlock()
        }
      }
    }
    let counts = inside.all
    #expect(counts.entered == 50 && counts.most == 1 && counts.now == 0)
  }

  @Test("is free again after the last unlock")
  func reuse() async {
    let mutex = AsyncMutex()
    for _ in 0..<3 {
      await mutex.lock()
      await mutex.unlock()
    }
  }
}
