// SPDX-License-Identifier: Apache-2.0
// Checks the deadline heap against a sorted list.

import AtrestHTTP2
import AtrestTestSupport
import Testing

@testable import AtrestSockets

@Suite(.timeLimit(.minutes(20))) struct DeadlineHeapTests {
  @Test("deadlines come out by instant, equal ones in the order they went in", arguments: 1...40)
  func order(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var heap = DeadlineHeap<Int>()
    var model: [(at: UInt64, payload: Int, token: DeadlineToken)] = []
    for step in 0..<2_000 {
      switch random.next() % 4 {
      case 0, 1:
        let at = random.next() % 50
        model.append((at, step, heap.insert(step, at: Instant(nanoseconds: at))))
      case 2 where !model.isEmpty:
        let removed = model.remove(at: Int(random.next() % UInt64(model.count)))
        #expect(heap.remove(removed.token) == removed.payload)
        #expect(heap.remove(removed.token) == nil, "seed \(seed): removed twice")
      default:
        let now = random.next() % 60
        let due = model.filter { $0.at <= now }.min {
          ($0.at, $0.payload) < ($1.at, $1.payload)
        }
        #expect(heap.popFirst(notAfter: Instant(nanoseconds: now)) == due?.payload, "seed \(seed)")
        model.removeAll { $0.payload == due?.payload }
      }
      heap.checkInvariants()
      #expect(heap.earliest?.nanoseconds == model.map(\.at).min(), "seed \(seed), step \(step)")
    }
    #expect(heap.count == model.count)
  }

  @Test("a token of a reached deadline does not touch the next user of its slot")
  func staleToken() {
    var heap = DeadlineHeap<String>()
    let old = heap.insert("old", at: Instant(nanoseconds: 1))
    #expect(heap.popFirst(notAfter: Instant(nanoseconds: 1)) == "old")
    _ = heap.insert("new", at: Instant(nanoseconds: 2))
    #expect(heap.remove(old) == nil)
    #expect(heap.popFirst(notAfter: Instant(nanoseconds: 2)) == "new")
  }
}
