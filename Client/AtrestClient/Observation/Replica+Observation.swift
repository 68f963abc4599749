// SPDX-License-Identifier: Apache-2.0
// Lets an app follow its replica.

import AtrestSync

/// What everybody who looks at one replica shares.
final class Observation: Sendable {
  let changes = Broadcast<ChangedRecords> { earlier, later in
    var all = earlier
    all.add(later)
    return all
  }
  let syncState = Broadcast<SyncState>(latest: .idle) { _, later in later }

  deinit {
    changes.finish()
    syncState.finish()
  }
}

extension Replica {
  /// The records that change, local writes and other devices' alike, each after its transaction is
  /// durable. Changes that a loop has not taken yet are combined.
  ///
  /// Names what happens through this `Replica` object and its syncs; another process, or another
  /// object on the same directory, is not heard.
  ///
  ///     for await change in replica.changes where change.concerns(.session) { reload() }
  public var changes: Updates<ChangedRecords> { Updates(broadcast: observation.changes) }

  /// What syncing is doing: the state now, and each later one that a loop is in time for.
  public var syncState: Updates<SyncState> { Updates(broadcast: observation.syncState) }

  /// Runs a sync, and tells what it does.
  func showing(
    _ sync: (_ progress: @escaping @Sendable (SyncReport) -> Void) async throws(SyncError) ->
      SyncReport
  ) async throws(SyncError) -> SyncReport {
    let state = observation.syncState
    state.send(.syncing(SyncReport()))
    do {
      let report = try await sync { state.send(.syncing($0)) }
      state.send(.upToDate(report))
      return report
    } catch {
      state.send(.failed(error))
      throw error
    }
  }
}
