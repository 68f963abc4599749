// SPDX-License-Identifier: Apache-2.0
// Lets tasks wait for an event that happens once.

import Synchronization

/// An event that is signalled once and stays signalled. Thread-safe.
package final class OneShotEvent: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Signals the event and resumes all waiters. Idempotent.
  package func signal() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until the event is signalled.
  package func wait() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(done) }
        return state.isOpen
      }
      if isOpen { done.resume() }
    }
  }
}
