// SPDX-License-Identifier: Apache-2.0
// Keeps a replica up to date: follows the server's stream and pushes local writes.

import AtrestWire

extension SyncEngine {
  /// Keeps the replica in sync until the task is cancelled or a permanent error occurs. Reconnects
  /// by itself.
  ///
  /// Held deletions are listed in the reports.
  /// - Parameter news: Called after each sync and each stored event with its report, and with an
  ///   error when the connection is lost. A lost connection is retried.
  /// - Throws: `SyncError`, `.cancelled` included; never a transient one.
  public func watch(
    news: @escaping @Sendable (SyncReport, SyncError?) -> Void
  ) async throws(SyncError) {
    var failures = 0
    while true {
      do {
        news(try await runCycle(), nil)
        failures = 0
        try await follow(news)
      } catch {
        guard error.isTransient else { throw error }
        news(SyncReport(), error)
      }
      failures += 1
      do { try await pacing.sleep(pacing.delay(after: failures)) } catch {
        throw SyncError(error)
      }
    }
  }

  /// Serializes cycles: the stream and the poll for waiting writes would otherwise interfere.
  private func runSerializedCycle(_ mutex: AsyncMutex) async throws(SyncError) -> SyncReport {
    await mutex.lock()
    do {
      let report = try await runCycle()
      await mutex.unlock()
      return report
    } catch {
      await mutex.unlock()
      throw error
    }
  }

  /// Follows the stream until it ends and pushes local writes meanwhile.
  private func follow(
    _ news: @escaping @Sendable (SyncReport, SyncError?) -> Void
  ) async throws(SyncError) {
    let mutex = AsyncMutex()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let cursor = try await store.position().cursor
          try await transport.watch(WatchRequest(cursor: cursor)) {
            event throws(SyncError) -> Bool in
            try await take(event, mutex, news)
            return true
          }
        }
        group.addTask {
          while true {
            try await pacing.sleep(pacing.pollInterval)
            if try await store.hasWaitingWrites() {
              news(try await runSerializedCycle(mutex), nil)
            }
          }
        }
        // The first task to end cancels the other. Pushing resumes once the stream is open again.
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      throw SyncError(error)
    }
  }

  private func take(
    _ event: WatchEvent, _ mutex: AsyncMutex, _ news: @Sendable (SyncReport, SyncError?) -> Void
  ) async throws(SyncError) {
    do {
      let held = try await store.position().cursor
      if held == event.cursor { return }  // A heartbeat.
      if let held, held.sequence >= event.cursor.sequence, !event.records.isEmpty {
        // An event for a commit that this replica pushed itself. If the server were behind, its
        // next heartbeat would show it.
        return
      }
      // An event that moves the cursor without records stands for a commit too large for the
      // stream.
      if !event.records.isEmpty, let applied = try await store.apply(event, at: clock.now()) {
        var report = SyncReport()
        report.pulled = event.records.count
        report.conflicts = applied.conflicts
        news(report, nil)
      } else {
        news(try await runSerializedCycle(mutex), nil)
      }
    } catch {
      throw SyncError(storing: error)
    }
  }
}
