// SPDX-License-Identifier: Apache-2.0
// The event loop of a simulation: one thread, one event queue, and simulated time.

import Glibc

/// The simulation's clock and its only thread. Swift tasks on it run in the order in which they
/// become ready.
package final class Scheduler: TaskExecutor, @unchecked Sendable {
  // Sendable: everything runs on the thread that calls `run`. Tasks have no other executor, and
  // nothing in a simulation uses its own queue or actor.

  private struct Event {
    let time: Int64
    let order: UInt64
    let action: () -> Void
  }

  /// A job, and the executor of its actor; nil for the scheduler itself.
  private let thread = pthread_self()
  private var jobs: [(job: UnownedJob, shard: SimulatedShard?)] = []
  private var firstJob = 0
  /// A heap ordered by time, then by insertion.
  private var events: [Event] = []
  private var count: UInt64 = 0
  /// Microseconds since the start of the simulation.
  private(set) var now: Int64 = 0
  /// The number of events so far.
  private(set) var steps = 0

  package init() {}

  /// See `TaskExecutor`.
  package func enqueue(_ job: consuming ExecutorJob) { jobs.append((UnownedJob(job), nil)) }

  /// Runs a job of an actor, in turn.
  func enqueue(_ job: UnownedJob, of shard: SimulatedShard) {
    precondition(pthread_equal(thread, pthread_self()) != 0, "a simulation has one thread")
    jobs.append((job, shard))
  }

  /// Schedules an action after a delay in microseconds.
  func after(_ delay: Int64, _ action: @escaping () -> Void) {
    precondition(pthread_equal(thread, pthread_self()) != 0, "a simulation has one thread")
    count += 1
    events.append(Event(time: now + max(0, delay), order: count, action: action))
    siftUp()
  }

  /// Schedules an action after a delay, rounded down to microseconds.
  func after(_ delay: Duration, _ action: @escaping () -> Void) {
    let (seconds, attoseconds) = delay.components
    after(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, action)
  }

  /// Starts a task on this thread. `run` executes it.
  @discardableResult
  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: self) { await body() }
  }

  /// Advances time up to `end` and runs everything due until then.
  func run(until end: Int64) {
    while true {
      drain()
      guard let next = events.first, next.time <= end else { break }
      step()
    }
    now = max(now, end)
  }

  /// Runs events until a condition holds, no event is left, or the time limit is reached.
  ///
  /// - Returns: Whether the condition holds.
  func run(for limit: Int64, until isDone: () -> Bool) -> Bool {
    let end = now + limit
    while true {
      drain()
      if isDone() { return true }
      guard let next = events.first, next.time <= end else { return false }
      step()
    }
  }

  /// Drops what is scheduled. Nothing must wait for it.
  func removeEvents() { events = [] }

  private func step() {
    let event = removeFirst()
    now = max(now, event.time)
    steps += 1
    event.action()
  }

  private func drain() {
    while firstJob < jobs.count {
      let (job, shard) = jobs[firstJob]
      firstJob += 1
      steps += 1
      if let shard {
        job.runSynchronously(on: shard.asUnownedSerialExecutor())
      } else {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    jobs.removeAll(keepingCapacity: true)
    firstJob = 0
  }

  // MARK: The heap

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (events[a].time, events[a].order) < (events[b].time, events[b].order)
  }

  private func siftUp() {
    var child = events.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      events.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private func removeFirst() -> Event {
    events.swapAt(0, events.count - 1)
    let first = events.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < events.count {
        if isBefore(child, least) { least = child }
      }
      if least == parent { return first }
      events.swapAt(parent, least)
      parent = least
    }
  }
}
