// SPDX-License-Identifier: Apache-2.0
// Keeps what a connection has to tell until its owner takes it.

/// A queue that keeps its memory for the next turn, unless that is much.
struct EventQueue<Event> {
  private var events: [Event] = []
  private var head = 0

  var isEmpty: Bool { head == events.count }

  mutating func append(_ event: Event) { events.append(event) }

  mutating func popFirst() -> Event? {
    guard head < events.count else {
      events.removeAll(keepingCapacity: events.capacity <= 1024)
      head = 0
      return nil
    }
    defer { head += 1 }
    return events[head]
  }
}
