// SPDX-License-Identifier: Apache-2.0
// One sync from its first request to its last: exchange, retry, restamp, reconcile.

import AtrestReplication
import AtrestWire

/// The state machine of one sync. Its owner carries out its actions and tells it what happened; it
/// reads no clock and waits for nothing itself.
///
/// After any interruption the store knows where to resume, so a cycle that is dropped loses
/// nothing.
///
///     counting ──▶ exchanging ──▶ retrying ──▶ exchanging ──▶ restamping ──▶ exchanging ──┐
///                                                                                         ▼
///     over ◀── noting ◀──no demand──────────────────────────────────────────────────── demanding
///                                                                                       │   ▲
///                                          comparing ◀──────────────────────────────────┘   │
///                                              └──▶ exchanging ──▶ ending ──────────────────┘
package struct SyncCycle: Hashable, Sendable {
  /// What follows an exchange.
  private enum Next: Hashable {
    /// Offer refused writes once more, up to this sequence.
    case retry(refusedBefore: Int64)
    /// Restamp writes that were refused for a clock.
    case restamp
    case reconcile
    /// Clear a demand whose comparison is complete.
    case endReconcile(demand: UInt64, isWhole: Bool)
  }

  private enum State: Hashable {
    case counting
    case exchanging(ExchangeLoop, Next)
    case retrying
    case restamping
    case demanding
    case comparing(ComparisonLoop, demand: UInt64)
    case ending
    case noting
    case over
  }

  private var state = State.counting
  private var run: SyncRun
  /// What the owner was shown last.
  private var reported = SyncReport()
  /// Comparisons so far. Restarts and forks are bounded, and each demand of a sync comes from one.
  private var comparisons = 0

  /// - Parameter allowsMassDeletion: Whether the person confirmed that most records be deleted.
  package init(bounds: SyncBounds = SyncBounds(), allowsMassDeletion: Bool = false) {
    run = SyncRun(bounds: bounds, allowsMassDeletion: allowsMassDeletion)
  }

  /// The first actions. Call it once.
  package mutating func begin() -> [SyncAction] { [.perform(.lastRefused)] }

  /// Advances by one event. Events after `finish` are ignored.
  /// - Parameter now: The device's clock, right or wrong.
  /// - Returns: What to do, in this order.
  package mutating func handle(_ event: SyncEvent, at now: WallTime) -> [SyncAction] {
    do throws(SyncError) {
      let actions = try advance(event, at: now)
      for case .report(let report) in actions { reported = report }
      return actions
    } catch {
      state = .over
      // What was stored before the failure counts.
      let last: [SyncAction] = run.report == reported ? [] : [.report(run.report)]
      return last + [.finish(.failure(error))]
    }
  }

  private mutating func advance(
    _ event: SyncEvent, at now: WallTime
  ) throws(SyncError) -> [SyncAction] {
    switch (state, event) {
    case (.over, _):
      return []
    case (_, .cancelled):
      throw .cancelled

    case (.exchanging(var loop, let next), _):
      switch try loop.handle(event, at: now, &run) {
      case .proceed(let actions):
        state = .exchanging(loop, next)
        return actions
      case .over:
        return go(to: next, at: now)
      }

    case (.comparing(var loop, let demand), _):
      switch try loop.handle(event, &run) {
      case .proceed(let actions):
        state = .comparing(loop, demand: demand)
        return actions
      case .over(let isWhole, let actions):
        // If the server lost something meanwhile, this exchange reports it. The demand stays until
        // the server has what it lacked; registers that lose before then are offered too.
        return actions + exchange(then: .endReconcile(demand: demand, isWhole: isWhole))
      }

    case (.counting, .stored(.sequence(let refusedBefore))):
      return exchange(then: .retry(refusedBefore: refusedBefore))

    case (.retrying, .stored(.done)):
      return exchange(then: .restamp)

    case (.restamping, .stored(.done)):
      run.report.refused -= run.tooFarAhead
      return exchange(then: .reconcile)

    case (.demanding, .stored(.demand(let demand))):
      guard let demand, comparisons <= run.bounds.restarts + 1 else { return note(at: now) }
      comparisons += 1
      let (loop, action) = ComparisonLoop.begin()
      state = .comparing(loop, demand: demand)
      return [action]

    case (.ending, .stored(.done)):
      return reconcile()

    case (.noting, .stored(.done)):
      state = .over
      return [.finish(.success(run.report))]

    case (_, .storeFailed(let error)):
      throw .replica(error)

    case (.counting, _), (.retrying, _), (.restamping, _), (.demanding, _), (.ending, _),
      (.noting, _):
      preconditionFailure("the owner replies to what it was asked")
    }
  }

  private mutating func go(to next: Next, at now: WallTime) -> [SyncAction] {
    switch next {
    case .retry(let refusedBefore) where refusedBefore > 0:
      state = .retrying
      return [.perform(.retryRefused(through: refusedBefore))]
    case .retry, .restamp:
      guard run.tooFarAhead > 0 else { return reconcile() }
      // This device's clock was ahead. The answer has corrected it.
      state = .restamping
      return [.perform(.restamp(at: now))]
    case .reconcile:
      return reconcile()
    case .endReconcile(let demand, let isWhole):
      guard isWhole else { return reconcile() }
      state = .ending
      return [.perform(.endReconcile(demand))]
    }
  }

  private mutating func exchange(then next: Next) -> [SyncAction] {
    let (loop, action) = ExchangeLoop.begin(run)
    state = .exchanging(loop, next)
    return [action]
  }

  /// A demand may arrive during a comparison, from another process or because the server lost
  /// something again; then another comparison follows.
  private mutating func reconcile() -> [SyncAction] {
    state = .demanding
    return [.perform(.reconcileDemand)]
  }

  private mutating func note(at now: WallTime) -> [SyncAction] {
    state = .noting
    return [.perform(.noteSync(at: now))]
  }
}
