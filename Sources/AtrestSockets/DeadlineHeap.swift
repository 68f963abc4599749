// SPDX-License-Identifier: Apache-2.0
// Orders a shard's deadlines. Pure.

import AtrestHTTP2

/// Identifies one scheduled deadline for cancellation. Never reused.
public struct DeadlineToken: Hashable, Sendable {
  let slot: Int
  let generation: UInt64
}

/// A binary min-heap of deadlines with removal by token. Equal instants keep their insertion order.
/// All operations are O(log n), `earliest` O(1).
struct DeadlineHeap<Payload> {
  private struct Entry {
    let at: Instant
    let order: UInt64
    let slot: Int

    func precedes(_ other: Entry) -> Bool {
      at == other.at ? order < other.order : at < other.at
    }
  }

  private struct Slot {
    var position: Int
    var generation: UInt64
    var payload: Payload?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var nextOrder: UInt64 = 0

  var earliest: Instant? { heap.first?.at }
  var count: Int { heap.count }

  mutating func insert(_ payload: Payload, at: Instant) -> DeadlineToken {
    nextOrder &+= 1
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
      slots[slot].payload = payload
      slots[slot].generation = nextOrder
    } else {
      slot = slots.count
      slots.append(Slot(position: 0, generation: nextOrder, payload: payload))
    }
    heap.append(Entry(at: at, order: nextOrder, slot: slot))
    slots[slot].position = heap.count - 1
    rise(from: heap.count - 1)
    return DeadlineToken(slot: slot, generation: nextOrder)
  }

  /// Removes a deadline. Nil if it was reached or removed before.
  @discardableResult
  mutating func remove(_ token: DeadlineToken) -> Payload? {
    guard slots.indices.contains(token.slot) else { return nil }
    let slot = slots[token.slot]
    guard slot.generation == token.generation, slot.payload != nil else { return nil }
    return removeEntry(at: slot.position)
  }

  /// Removes and returns the earliest payload that is due at `now`.
  mutating func popFirst(notAfter now: Instant) -> Payload? {
    guard let first = heap.first, first.at <= now else { return nil }
    return removeEntry(at: 0)
  }

  /// Removes everything. Returns the payloads, so that the caller releases them.
  mutating func removeAll() -> [Payload] {
    defer {
      heap = []
      slots = []
      free = []
    }
    return slots.compactMap(\.payload)
  }

  private mutating func removeEntry(at position: Int) -> Payload? {
    let slot = heap[position].slot
    let last = heap.count - 1
    if position != last {
      swapEntries(position, last)
      heap.removeLast()
      rise(from: position)
      sink(from: position)
    } else {
      heap.removeLast()
    }
    free.append(slot)
    defer { slots[slot].payload = nil }
    return slots[slot].payload
  }

  private mutating func rise(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      swapEntries(child, parent)
      child = parent
    }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      swapEntries(parent, least)
      parent = least
    }
  }

  private mutating func swapEntries(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    slots[heap[a].slot].position = a
    slots[heap[b].slot].position = b
  }

  /// Traps if the heap order or the back references are broken. For tests.
  func checkInvariants() {
    for (position, entry) in heap.enumerated() {
      precondition(slots[entry.slot].position == position && slots[entry.slot].payload != nil)
      precondition(position == 0 || !entry.precedes(heap[(position - 1) / 2]))
    }
    precondition(slots.count == heap.count + free.count)
  }
}
