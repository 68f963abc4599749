// SPDX-License-Identifier: Apache-2.0
// Rate-limits events that anybody can cause at will: one a minute of each kind, with a count.

import AtrestDomain
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// Aggregates events by account and kind, so that nobody can fill the disk with them. Thread-safe.
package final class EventCounter: Sendable {
  /// Time between two events of one kind in one account.
  static let intervalMilliseconds: Int64 = 60_000
  /// Pairs of account and kind that are counted at once: beyond it an event is dropped. The owner
  /// makes the accounts, so there are far fewer.
  static let limit = 100_000
  /// Events of one job. Where each account has a chain, it locks as many accounts.
  static let atOnce = 100

  private struct Sort: Hashable {
    let account: AccountID?
    let kind: AccountEvent.Kind
  }

  private struct State {
    /// When one was last written.
    var written: WallTime?
    /// The newest, with the number of those not yet written; nil: none.
    var waiting: NewEvent?
  }

  private let states = Mutex<[Sort: State]>([:])

  package init() {}

  /// Counts an event.
  ///
  /// - Returns: What is to be written now, if anything.
  func count(_ event: NewEvent) -> NewEvent? {
    states.withLock { states in
      let sort = Sort(account: event.account, kind: event.kind)
      guard states.count < Self.limit || states[sort] != nil else { return nil }
      var state = states[sort] ?? State()
      let sum = state.waiting.map { Self.sum(event, $0) } ?? event
      let isDue = isDue(state, at: event.at)
      state.waiting = isDue ? nil : sum
      if isDue { state.written = event.at }
      states[sort] = state
      return isDue ? sum : nil
    }
  }

  /// Restores an event that could not be written: it counts with later ones, and is due after a
  /// minute.
  func giveBack(_ event: NewEvent) {
    states.withLock { states in
      let sort = Sort(account: event.account, kind: event.kind)
      guard states.count < Self.limit || states[sort] != nil else { return }
      var state = states[sort] ?? State(written: event.at)
      state.waiting = state.waiting.map { Self.sum($0, event) } ?? event
      states[sort] = state
    }
  }

  /// Takes the events that are due, or, if `always`, all that wait.
  func takeDue(at now: WallTime, always: Bool = false) -> [NewEvent] {
    states.withLock { states in
      var due: [NewEvent] = []
      for (sort, state) in states where always || isDue(state, at: now) {
        // One that is neither waiting nor recent is dropped.
        states[sort] = state.waiting.map { event in
          due.append(event)
          return State(written: now)
        }
      }
      return due
    }
  }

  /// Two events of one kind as one, with the newer one's facts where these do not add up.
  private static func sum(_ newer: NewEvent, _ older: NewEvent) -> NewEvent {
    var sum = newer
    sum.count = UInt32(clamping: UInt64(newer.count) + UInt64(older.count))
    // Deletions add up; the number of a check does not.
    if newer.kind == .massDeletion { sum.detail &+= older.detail }
    return sum
  }

  private func isDue(_ state: State, at now: WallTime) -> Bool {
    guard let written = state.written else { return true }
    // A clock that was set back restarts the interval.
    return now < written || now >= written.advanced(by: Self.intervalMilliseconds)
  }
}

extension StorageQueue {
  /// Records an event that may happen very often, without waiting. One that cannot be written now
  /// is counted.
  func note(_ event: NewEvent) {
    if let due = counter.count(event) { write([due]) }
  }

  /// Writes the counted events that are due, or, if `always`, all of them.
  func writeCounted(at now: WallTime, always: Bool = false) {
    let due = counter.takeDue(at: now, always: always)
    if !due.isEmpty { write(due) }
  }

  private func write(_ events: [NewEvent]) {
    for start in stride(from: 0, to: events.count, by: EventCounter.atOnce) {
      write(atOnce: Array(events[start..<min(start + EventCounter.atOnce, events.count)]))
    }
  }

  private func write(atOnce events: [NewEvent]) {
    // A mass deletion is accepted on a full disk, too, and must leave a trace: it may use the
    // reserve.
    let use: StorageUse = events.contains { $0.kind == .massDeletion } ? .clears : .writes
    let giveBack: @Sendable () -> Void = { [counter] in events.forEach(counter.giveBack) }
    let reads: StorageReads = { queries in
      queries.lastEvents.formUnion(events.map { $0.account ?? .server })
      queries.eventNumbers += events.count
    }
    let job = Operation(by: .server, use: use, costBytes: 128 * events.count, reads: reads) {
      batch throws(StoreError) in
      try batch.transaction.events.append(events)
    } completion: { result, _ in
      if case .failure = result { giveBack() }
    }
    if !submit(job) { giveBack() }
  }
}
