// SPDX-License-Identifier: Apache-2.0
// Lets a test wait for what happens elsewhere, until its time limit cancels it.

import Synchronization

/// An awaitable event that may occur several times. Each occurrence is handed to one waiter.
public final class Signal<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var waiters: [(number: Int, continuation: CheckedContinuation<Value, any Error>)] = []
    var lastNumber = 0
  }
  private let state = Mutex(State())

  /// Creates a signal that has not occurred.
  public init() {}

  /// The occurrences that nobody has waited for.
  public var pending: Int { state.withLock { $0.values.count } }

  /// Wakes the task that has waited longest, or the next one that waits.
  public func send(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      guard !state.waiters.isEmpty else {
        state.values.append(value)
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    waiter?.resume(returning: value)
  }

  /// The next occurrence.
  /// - Throws: `CancellationError` if the task is cancelled, as the time limit of a suite does.
  public func next() async throws -> Value {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { done in
        let ready = state.withLock { state -> Result<Value, any Error>? in
          // Checked under the lock: the handler runs before the wait, or finds it.
          if Task.isCancelled { return .failure(CancellationError()) }
          if !state.values.isEmpty { return .success(state.values.removeFirst()) }
          state.waiters.append((number, done))
          return nil
        }
        if let ready { done.resume(with: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
        guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
          return nil
        }
        return state.waiters.remove(at: index).continuation
      }
      waiter?.resume(throwing: CancellationError())
    }
  }
}

/// Waits for a condition that lasts once it is true; one that passes by itself may be missed.
/// - Throws: `CancellationError` if the task is cancelled, as the time limit of a suite does.
public func waitUntil(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
