// SPDX-License-Identifier: Apache-2.0
// Keeps a replica up to date: follows the server's stream and pushes local writes.

import AtrestReplication
import AtrestWire

/// What the owner of a follower does next.
package enum FollowAction: Hashable, Sendable {
  /// An action of the sync under way, or of storing an event. `finish` is never among them.
  case sync(SyncAction)
  /// Open the stream of commits after this cursor, under this credential, and tell `event` for its
  /// first event and `streamEnded` when it ends.
  case openStream(WatchRequest, as: String?)
  /// Tell the stream's next event. Until then it is held back.
  case takeEvent
  /// Tell `wroteLocally` as soon as a write waits that is neither refused nor held.
  case awaitWrites
  /// Close the stream, await no writes, and drop whatever else is under way: nothing of it is told.
  case closeStream
  /// Wait before the next connection; then tell `waited` of the sync.
  case backOff(BackOff)
  /// Show the totals of the sync under way.
  case progress(SyncReport)
  /// Show what was exchanged, or the loss of the connection.
  case news(SyncReport, SyncError?)
  /// Following is over.
  case finish(SyncError)
}

/// What happened to a follower.
package enum FollowEvent: Hashable, Sendable {
  /// An event of the sync under way.
  case sync(SyncEvent)
  /// The stream's next event.
  case event(WatchResponse)
  /// The stream ended, nil in good order.
  case streamEnded(SyncError?)
  /// The store holds a write that waits.
  case wroteLocally
}

/// The state machine that follows a stream: a sync first, then the stream's events, and another
/// sync whenever an event does not fit or a write waits. One thing at a time.
///
///     syncing ──▶ locating ──▶ following ──event──▶ placing ──▶ storing ──▶ following
///        ▲                        │   ▲                └──it does not fit──▶ syncing again
///        │                        │   └────────────────────────────────────────────┘
///        └──pausing◀──the stream ends, or a failure that passes
package struct SyncFollower: Hashable, Sendable {
  /// What woke a sync while the stream was open.
  private enum Cause: Hashable {
    case event
    case write
  }

  private enum State: Hashable {
    case syncing(SyncCycle)
    case locating
    case following
    case placing(WatchResponse)
    case storing(WatchResponse)
    case syncingAgain(SyncCycle, Cause)
    /// Not connected: before the first sync, and between connections.
    case pausing
    case over
  }

  private let bounds: SyncBounds
  private var state = State.pausing
  private var failures = 0
  /// What arrived while something else was under way.
  private var waitingEvent: WatchResponse?
  private var hasWaitingWrites = false

  /// - Parameter bounds: Those of each sync. Following itself never gives up.
  package init(bounds: SyncBounds = SyncBounds()) { self.bounds = bounds }

  /// The first actions. Call it once.
  package mutating func begin() -> [FollowAction] {
    var cycle = newCycle()
    let actions = cycle.begin()
    state = .syncing(cycle)
    return [.progress(SyncReport())] + actions.map { .sync($0) }
  }

  /// Advances by one event. Events after `finish` are ignored.
  /// - Parameter now: The device's clock, right or wrong.
  package mutating func handle(_ event: FollowEvent, at now: WallTime) -> [FollowAction] {
    // Only then does the stream work: one that ends before its first event is tried less and less.
    if case .event = event { failures = 0 }
    switch (state, event) {
    case (.over, _):
      return []
    case (_, .sync(.cancelled)):
      return failed(.cancelled)

    case (.syncing(var cycle), .sync(let event)):
      let (actions, outcome) = forward(cycle.handle(event, at: now))
      state = .syncing(cycle)
      switch outcome {
      case nil: return actions
      case .success(let report)?:
        state = .locating
        return actions + [.news(report, nil), .sync(.perform(.position))]
      case .failure(let error)?: return actions + failed(error)
      }

    case (.syncingAgain(var cycle, let cause), .sync(let event)):
      let (actions, outcome) = forward(cycle.handle(event, at: now))
      state = .syncingAgain(cycle, cause)
      switch outcome {
      case nil: return actions
      case .success(let report)?: return actions + [.news(report, nil)] + resume(cause)
      case .failure(let error)?: return actions + failed(error)
      }

    case (.locating, .sync(.stored(.position(let position)))):
      state = .following
      return [
        .openStream(WatchRequest(cursor: position.cursor), as: position.credential), .takeEvent,
        .awaitWrites,
      ]

    case (.placing(let event), .sync(.stored(.position(let position)))):
      return place(event, at: position.cursor, now)

    case (.storing(let event), .sync(.stored(.applied(let applied)))):
      guard let applied else { return again(.event) }
      var report = SyncReport()
      report.pulled = event.records.count
      report.conflicts = applied.conflicts
      return [.news(report, nil)] + resume(.event)

    case (.storing, .sync(.storeFailed(let error))):
      return failed(SyncError(storing: error))
    case (_, .sync(.storeFailed(let error))):
      return failed(.replica(error))

    case (.pausing, .sync(.waited)):
      return begin()

    case (.following, .event(let event)):
      state = .placing(event)
      return [.sync(.perform(.position))]
    case (.following, .wroteLocally):
      return again(.write)
    case (.placing, .wroteLocally), (.storing, .wroteLocally), (.syncingAgain, .wroteLocally):
      hasWaitingWrites = true
      return []
    case (.placing, .event(let event)), (.storing, .event(let event)),
      (.syncingAgain, .event(let event)):
      waitingEvent = event
      return []

    case (.following, .streamEnded(let error)), (.placing, .streamEnded(let error)),
      (.storing, .streamEnded(let error)), (.syncingAgain, .streamEnded(let error)):
      return ended(error)

    case (.syncing, _), (.locating, _), (.following, _), (.placing, _), (.storing, _),
      (.syncingAgain, _), (.pausing, _):
      preconditionFailure("the owner replies to what it was asked")
    }
  }

  /// Decides what an event means to a replica at `cursor`.
  private mutating func place(
    _ event: WatchResponse, at cursor: Cursor?, _ now: WallTime
  ) -> [FollowAction] {
    if cursor == event.cursor { return resume(.event) }  // A heartbeat.
    if let cursor, cursor.sequence >= event.cursor.sequence, !event.records.isEmpty {
      // An event for a commit that this replica pushed itself. If the server were behind, its next
      // heartbeat would show it.
      return resume(.event)
    }
    // An event that moves the cursor without records stands for a commit too large for the stream.
    guard !event.records.isEmpty else { return again(.event) }
    state = .storing(event)
    return [.sync(.perform(.applyEvent(event, at: now)))]
  }

  /// Asks for what comes next, in place of what was dealt with.
  private mutating func resume(_ cause: Cause) -> [FollowAction] {
    state = .following
    var actions: [FollowAction]
    switch cause {
    case .event: actions = [.takeEvent]
    case .write: actions = [.awaitWrites]
    }
    if let event = waitingEvent {
      waitingEvent = nil
      state = .placing(event)
      actions.append(.sync(.perform(.position)))
    } else if hasWaitingWrites {
      hasWaitingWrites = false
      actions += again(.write)
    }
    return actions
  }

  private mutating func again(_ cause: Cause) -> [FollowAction] {
    var cycle = newCycle()
    let actions = cycle.begin()
    state = .syncingAgain(cycle, cause)
    return [.progress(SyncReport())] + actions.map { .sync($0) }
  }

  /// After a failure each call of a sync is made once: the pauses between syncs are long enough,
  /// and calls that were repeated within each would come five times as often.
  private func newCycle() -> SyncCycle {
    var bounds = bounds
    if failures > 0 { bounds.attempts = 1 }
    return SyncCycle(bounds: bounds)
  }

  /// Connects again after a failure that may pass.
  private mutating func failed(_ error: SyncError) -> [FollowAction] {
    guard error.isTransient else {
      state = .over
      return [.closeStream, .finish(error)]
    }
    return [.news(SyncReport(), error)] + pause(after: error)
  }

  /// A server that ends its stream in good order is asked again as well.
  private mutating func ended(_ error: SyncError?) -> [FollowAction] {
    if let error { return failed(error) }
    return pause()
  }

  private mutating func pause(after error: SyncError? = nil) -> [FollowAction] {
    state = .pausing
    waitingEvent = nil
    hasWaitingWrites = false
    failures += 1
    return [.closeStream, .backOff(BackOff(failures: failures, after: error))]
  }

  /// The actions of a sync but its last, and its outcome once it has one.
  private func forward(
    _ actions: [SyncAction]
  ) -> ([FollowAction], Result<SyncReport, SyncError>?) {
    var outcome: Result<SyncReport, SyncError>?
    var forwarded: [FollowAction] = []
    for action in actions {
      switch action {
      case .finish(let result): outcome = result
      case .report(let report): forwarded.append(.progress(report))
      case .perform, .send, .backOff: forwarded.append(.sync(action))
      }
    }
    return (forwarded, outcome)
  }
}
