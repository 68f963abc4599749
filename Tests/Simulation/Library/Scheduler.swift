// SPDX-License-Identifier: Apache-2.0
// Decides what happens next: one thread, one queue of moments, and time that passes only here.

/// The simulation's time and its only thread. Swift tasks started on it run in the order in which
/// they became ready.
package final class Scheduler: TaskExecutor, @unchecked Sendable {
  // Sendable because everything happens on the thread that calls `run`: tasks have no other
  // executor, and nothing in a simulation uses a queue or an actor of its own.

  private struct Event {
    let time: Int64
    let order: UInt64
    let action: () -> Void
  }

  private var jobs: [UnownedJob] = []
  private var firstJob = 0
  /// A heap: the earliest first, and of one moment the one that was asked for first.
  private var events: [Event] = []
  private var count: UInt64 = 0
  /// Microseconds since the simulation began.
  private(set) var now: Int64 = 0
  /// Things that happened so far.
  private(set) var steps = 0

  /// Nothing to do yet.
  package init() {}

  /// See `TaskExecutor`.
  package func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Does something so many microseconds from now.
  func after(_ delay: Int64, _ action: @escaping () -> Void) {
    count += 1
    events.append(Event(time: now + max(0, delay), order: count, action: action))
    siftUp()
  }

  /// Starts a task on this thread; `run` does its work.
  @discardableResult
  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: self) { await body() }
  }

  /// Lets time pass up to a moment, and everything due until then happen.
  func run(until end: Int64) {
    while true {
      drain()
      guard let next = events.first, next.time <= end else { break }
      step()
    }
    now = max(now, end)
  }

  /// Lets things happen until a condition holds, or nothing is left to happen, or the time is over.
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

  private func step() {
    let event = removeFirst()
    now = max(now, event.time)
    steps += 1
    event.action()
  }

  private func drain() {
    while firstJob < jobs.count {
      let job = jobs[firstJob]
      firstJob += 1
      steps += 1
      job.runSynchronously(on: asUnownedTaskExecutor())
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
