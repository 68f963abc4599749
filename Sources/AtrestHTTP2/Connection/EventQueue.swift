// SPDX-License-Identifier: Apache-2.0
// Buffers a connection's events until its owner takes them.

/// A FIFO that keeps its memory once drained, up to 1,024 events.
struct EventQueue<Event> {
  /// Taken events are nil, so that what they hold is released at once.
  private var events: [Event?] = []
  private var head = 0

  var isEmpty: Bool { head == events.count }

  mutating func append(_ event: consuming Event) { events.append(event) }

  /// Puts events before all others.
  mutating func prepend(_ earlier: [Event]) {
    events.replaceSubrange(0..<head, with: earlier.map(Optional.some))
    head = 0
  }

  mutating func popFirst() -> Event? {
    guard head < events.count else {
      events.removeAll(keepingCapacity: events.capacity <= 1024)
      head = 0
      return nil
    }
    defer { head += 1 }
    return events[head].take()
  }
}
