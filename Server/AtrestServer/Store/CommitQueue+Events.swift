// SPDX-License-Identifier: Apache-2.0
// Writes down what anybody can cause at will: at most once a minute of a sort, with a count.

import AtrestProtocol
import AtrestRPC
import AtrestReplication
import Synchronization

/// Counts events between those that are written down, so that nobody can fill the disk with them.
/// Thread-safe.
final class EventCounter: Sendable {
  /// Time between two events of a sort in one account.
  static let intervalMilliseconds: Int64 = 60_000
  /// Sorts that are counted at once: beyond it an event is dropped. Accounts are made by the owner,
  /// so there are no more than those by far.
  static let limit = 100_000

  private struct Sort: Hashable {
    let account: AccountID?
    let kind: Event.Kind
  }

  private struct State {
    /// When one was written last.
    var written: WallTime?
    /// The newest, with how many were not written yet; nil: none.
    var waiting: NewEvent?
  }

  private let states = Mutex<[Sort: State]>([:])

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

  /// Takes back what could not be written: it is counted with what comes, and due when a minute is
  /// over.
  func giveBack(_ event: NewEvent) {
    states.withLock { states in
      let sort = Sort(account: event.account, kind: event.kind)
      guard states.count < Self.limit || states[sort] != nil else { return }
      var state = states[sort] ?? State(written: event.at)
      state.waiting = state.waiting.map { Self.sum($0, event) } ?? event
      states[sort] = state
    }
  }

  /// What has waited long enough, or, if `always`, all that waits.
  func takeDue(at now: WallTime, always: Bool = false) -> [NewEvent] {
    states.withLock { states in
      var due: [NewEvent] = []
      for (sort, state) in states where always || isDue(state, at: now) {
        // What is neither waiting nor recent need not be remembered.
        states[sort] = state.waiting.map { event in
          due.append(event)
          return State(written: now)
        }
      }
      return due
    }
  }

  /// Two events of a sort as one, which says of the newer one what does not add up.
  private static func sum(_ newer: NewEvent, _ older: NewEvent) -> NewEvent {
    var sum = newer
    sum.count = UInt32(clamping: UInt64(newer.count) + UInt64(older.count))
    // What was deleted adds up; the number of a check does not.
    if newer.kind == .massDeletion { sum.detail &+= older.detail }
    return sum
  }

  private func isDue(_ state: State, at now: WallTime) -> Bool {
    guard let written = state.written else { return true }
    // A clock that was set back counts from there.
    return now < written || now >= written.advanced(by: Self.intervalMilliseconds)
  }
}

extension CommitQueue {
  /// Writes something down that may happen very often. It does not wait for that; what cannot be
  /// written now is counted on.
  func note(_ event: NewEvent) {
    if let due = counter.count(event) { write([due]) }
  }

  /// Writes what was counted since and has waited long enough, or, if `always`, all of it.
  func writeCounted(at now: WallTime, always: Bool = false) {
    let due = counter.takeDue(at: now, always: always)
    if !due.isEmpty { write(due) }
  }

  private func write(_ events: [NewEvent]) {
    // A mass deletion is taken while the disk is full, too, and must not be without a trace: it has
    // a share in the reserve.
    let use: StorageUse = events.contains { $0.kind == .massDeletion } ? .clears : .writes
    let giveBack: @Sendable () -> Void = { [counter] in events.forEach(counter.giveBack) }
    let job = Operation(by: .server, use: use, costBytes: 128 * events.count) {
      batch throws(StoreError) in
      try batch.transaction.events.append(events)
    } completion: { result, _ in
      if case .failure = result { giveBack() }
    }
    if !submit(job) { giveBack() }
  }
}
