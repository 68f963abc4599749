// SPDX-License-Identifier: Apache-2.0
// Compares all records with the server and repairs the differences.

import AtrestReplication
import AtrestWire

/// The state machine of one comparison, round by round. Records that the server lacks are queued
/// like any other write.
///
///     hashing ──▶ locating ──▶ asking ──answer──▶ merging ──▶ locating, or over
///                    ▲                               │
///                    └──pausing◀──the cursor is elsewhere by now
struct ComparisonLoop: Hashable {
  enum Step: Hashable {
    case proceed([SyncAction])
    /// Whether the comparison completed; false if the server no longer knows this replica's cursor,
    /// which an exchange must settle first.
    case over(isWhole: Bool, [SyncAction])
  }

  private enum State: Hashable {
    case hashing
    case locating(Reconciler, ReconcileRequest)
    case asking(Reconciler, ReconcileRequest, SyncCall)
    /// The comparison before the answer and after it.
    case merging(Reconciler, narrowed: Reconciler, Reconciler.Step)
    case pausing(Reconciler)
  }

  private var state = State.hashing

  /// The first action.
  static func begin() -> (ComparisonLoop, SyncAction) {
    (ComparisonLoop(), .perform(.hashes))
  }

  /// Advances by one event.
  /// - Throws: What ends the sync.
  mutating func handle(_ event: SyncEvent, _ run: inout SyncRun) throws(SyncError) -> Step {
    switch (state, event) {
    case (.hashing, .stored(.hashes(let held))):
      return locate(Reconciler(held: held, smallRange: run.bounds.smallRange))

    case (.locating(let reconciler, var request), .stored(.position(let position))):
      request.cursor = position.cursor
      let call = SyncCall(.reconcile(request), as: run.credential)
      state = .asking(reconciler, request, call)
      return .proceed([call.send])

    case (.asking(let reconciler, let request, _), .answered(.reconcile(let answer), _)):
      if answer.restarted { return .over(isWhole: false, []) }
      var narrowed = reconciler
      let step = try narrowed.take(answer)
      state = .merging(reconciler, narrowed: narrowed, step)
      return .proceed([
        .perform(
          .merge(records: step.records, offering: step.wanted, at: request.cursor))
      ])

    case (.asking(let reconciler, let request, var call), .callFailed(let error)):
      let pause = try call.failed(error, attempts: run.bounds.attempts)
      state = .asking(reconciler, request, call)
      return .proceed([pause])

    case (.asking(_, _, let call), .waited):
      return .proceed([call.send])

    case (.merging(let before, let narrowed, let step), .stored(.applied(let applied?))):
      run.report.exchanges += 1
      guard !applied.isOvertaken else {
        guard let pause = try run.repeated() else { return locate(before) }
        state = .pausing(before)
        return .proceed([pause])
      }
      run.report.pulled += step.records.count
      run.report.conflicts += applied.conflicts
      return locate(narrowed, after: [.report(run.report)])

    case (.pausing(let reconciler), .waited):
      return locate(reconciler)

    case (.merging, .storeFailed(let error)):
      throw SyncError(storing: error)
    case (_, .storeFailed(let error)):
      throw .replica(error)

    case (.hashing, _), (.locating, _), (.asking, _), (.merging, _), (.pausing, _):
      preconditionFailure("the owner replies to what it was asked")
    }
  }

  /// Begins the next round, if there is one. It shows the cursor of then.
  private mutating func locate(_ reconciler: Reconciler, after actions: [SyncAction] = []) -> Step {
    var reconciler = reconciler
    guard let request = reconciler.next() else { return .over(isWhole: true, actions) }
    state = .locating(reconciler, request)
    return .proceed(actions + [.perform(.position)])
  }
}
