// SPDX-License-Identifier: Apache-2.0
// Lets one task at a time through, in the order in which they came.

/// A FIFO mutex for tasks.
actor AsyncMutex {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func lock() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func unlock() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
