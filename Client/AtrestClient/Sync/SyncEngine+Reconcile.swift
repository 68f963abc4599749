// SPDX-License-Identifier: Apache-2.0
// Compares everything held with what the server holds, and makes them alike.

import Replication
import SyncProtocol

extension SyncEngine {
  /// Compares and repairs as long as the store demands it. What the server lacks is pushed like any other write.
  ///
  /// A demand that comes while comparing, from another process or from a server that lost something once more, is met by comparing again.
  func reconcile(_ run: inout Run, _ progress: @Sendable (SyncReport) -> Void) async throws {
    // Restarts and forks are bounded, and each demand of this run comes from one.
    for _ in 0...(SyncEngine.restartLimit + 1) {
      guard let demand = try await store.reconcileDemand() else { return }
      if !Mutation.comparisonSkipped.isActive { try await compareAndMerge(&run, progress) }
      try await store.endReconcile(demand)
      try await exchange(&run, progress)
    }
  }

  /// Compares once; fetches and merges what differs, and queues what the server lacks.
  func compareAndMerge(
    _ run: inout Run, _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    try await compare { step in
      let applied: AppliedAnswer
      do {
        applied = try await store.merge(records: step.records, offering: step.wanted)
      } catch {
        throw SyncError(storing: error)
      }
      run.report.exchanges += 1
      run.report.pulled += step.records.count
      run.report.conflicts += applied.conflicts
      progress(run.report)
    }
  }

  /// Compares once.
  ///
  /// - Parameter found: Called with what follows from each answer.
  func compare(_ found: (Reconciler.Step) async throws -> Void) async throws {
    var reconciler = Reconciler(held: try await store.hashes())
    while let request = reconciler.next() {
      let answer = try await repeated { () throws(SyncError) in
        try await transport.reconcile(request)
      }
      try await found(reconciler.take(answer))
    }
  }
}
