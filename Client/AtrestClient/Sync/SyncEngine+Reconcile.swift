// SPDX-License-Identifier: Apache-2.0
// Reconciles a replica with its server: compares all records and repairs the differences.

import AtrestReplication
import AtrestWire

extension SyncEngine {
  /// Compares and repairs as long as the store demands it. Records that the server lacks are pushed
  /// like any other write.
  ///
  /// A demand that arrives during a comparison, from another process or because the server lost
  /// something again, causes another comparison.
  func reconcile(_ run: inout Run, _ progress: @Sendable (SyncReport) -> Void) async throws {
    // Restarts and forks are bounded, and each demand of this run comes from one.
    for _ in 0...(SyncEngine.restartLimit + 1) {
      guard let demand = try await store.reconcileDemand() else { return }
      let isWhole = try await compareAndMerge(&run, progress)
      // If the server lost something meanwhile, this exchange reports it. The demand stays until
      // the server has what it lacked; registers that lose before then are offered too.
      try await exchange(&run, progress)
      if isWhole { try await store.endReconcile(demand) }
    }
  }

  /// Compares once, merges what differs, and queues what the server lacks. Returns false if the
  /// server no longer knows this replica's head; that must be settled before a comparison.
  func compareAndMerge(
    _ run: inout Run, _ progress: @Sendable (SyncReport) -> Void
  ) async throws -> Bool {
    try await compare(storing: true) { step, head in
      let applied: AppliedAnswer
      do {
        applied = try await store.merge(
          records: step.records, offering: step.wanted, asKnowing: head)
      } catch {
        throw SyncError(storing: error)
      }
      run.report.exchanges += 1
      guard !applied.isOvertaken else {
        try await waitToAskAgain(&run)
        return false
      }
      run.report.pulled += step.records.count
      run.report.conflicts += applied.conflicts
      progress(run.report)
      return true
    }
  }

  /// Compares once.
  ///
  /// - Parameters:
  ///   - isStored: Whether answers are stored. If so, each request carries the last known head.
  ///   - found: Called with each answer's consequences and the head that was sent. It returns false
  ///     to repeat the request.
  /// - Returns: Whether the comparison completed; false if the server does not know the head.
  func compare(
    storing isStored: Bool,
    _ found: (Reconciler.Step, Cursor?) async throws -> Bool
  ) async throws -> Bool {
    var reconciler = Reconciler(held: try await store.hashes())
    while var request = reconciler.next() {
      if isStored { request.lastKnownHead = try await store.position().lastKnownHead }
      let answer = try await repeated { [request] () throws(SyncError) in
        try await transport.reconcile(request)
      }
      if answer.restarted { return false }
      var narrowed = reconciler
      let step = try narrowed.take(answer)
      if try await found(step, request.lastKnownHead) { reconciler = narrowed }
    }
    return true
  }
}
