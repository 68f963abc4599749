// SPDX-License-Identifier: Apache-2.0
// Compares everything held with what the server holds, and makes them alike.

import AtrestProtocol
import AtrestReplication

extension SyncEngine {
  /// Compares and repairs as long as the store demands it. What the server lacks is pushed like any
  /// other write.
  ///
  /// A demand that comes while comparing, from another process or from a server that lost something
  /// once more, is met by comparing again.
  func reconcile(_ run: inout Run, _ progress: @Sendable (SyncReport) -> Void) async throws {
    // Restarts and forks are bounded, and each demand of this run comes from one.
    for _ in 0...(SyncEngine.restartLimit + 1) {
      guard let demand = try await store.reconcileDemand() else { return }
      let isWhole = try await compareAndMerge(&run, progress)
      // If the server lost something meanwhile, this is where it says so. The demand stands until
      // what the server lacks is there: whatever gives way before is offered, too.
      try await exchange(&run, progress)
      if isWhole { try await store.endReconcile(demand) }
    }
  }

  /// Compares once; fetches and merges what differs, and queues what the server lacks. False: the
  /// server has lost what this replica knows of its head, and there is nothing to compare before
  /// that is settled.
  func compareAndMerge(
    _ run: inout Run, _ progress: @Sendable (SyncReport) -> Void
  ) async throws -> Bool {
    if Mutation.comparisonSkipped.isActive { return true }
    return try await compare(storing: true) { step, head in
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
  ///   - isStored: Whether something of the answers is stored: then each request shows the last
  ///     known head.
  ///   - found: Called with what follows from each answer, and the head that was shown. False: it
  ///     is asked for again.
  /// - Returns: Whether it came to the end; not if the server does not know the head.
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
