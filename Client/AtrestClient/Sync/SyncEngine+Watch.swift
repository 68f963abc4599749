// SPDX-License-Identifier: Apache-2.0
// Runs the state machine that follows a server's stream.

import AtrestSync
import AtrestWire

extension SyncEngine {
  /// Keeps the replica in sync until the task is cancelled or a permanent error occurs. Reconnects
  /// by itself.
  ///
  /// Held deletions are listed in the reports.
  /// - Parameter news: Called after each sync and each stored event with its report, and with an
  ///   error when the connection is lost. A lost connection is retried.
  /// - Throws: `SyncError`, `.cancelled` included; never a transient one.
  package func watch(
    news: @escaping @Sendable (SyncReport, SyncError?) -> Void
  ) async throws(SyncError) {
    try await watch(news: news) { _ in }
  }

  /// The same, and tells what its syncs do. A stored event by itself changes no state.
  func watch(
    news: @escaping @Sendable (SyncReport, SyncError?) -> Void,
    state: @escaping @Sendable (SyncState) -> Void
  ) async throws(SyncError) {
    var follower = SyncFollower(bounds: SyncBounds(attempts: pacing.attempts))
    var actions = follower.begin()
    while true {
      switch await follow(&follower, actions, news, state) {
      case .failure(let error): throw error
      case .success(let backOff):
        do { try await pacing.sleep(pacing.delay(backOff)) } catch { throw .cancelled }
        actions = follower.handle(.sync(.waited), at: clock.now())
      }
    }
  }

  /// Runs a follower until it closes its stream.
  /// - Returns: The pause after which it connects again; or what ended it.
  private func follow(
    _ follower: inout SyncFollower, _ first: [FollowAction],
    _ news: @escaping @Sendable (SyncReport, SyncError?) -> Void,
    _ state: @escaping @Sendable (SyncState) -> Void
  ) async -> Result<BackOff, SyncError> {
    let gate = EventGate()
    var isSyncing = false
    return await withTaskGroup(of: FollowEvent?.self) { group in
      // The stream's events come from its own task, one for each `takeEvent`.
      defer { group.cancelAll() }
      var actions = first
      while true {
        for action in actions {
          switch action {
          case .sync(let action): group.addTask { .sync(await carryOut(action)) }
          case .openStream(let request, let credential):
            group.addTask { .streamEnded(await stream(request, as: credential, through: gate)) }
          case .takeEvent:
            // A gate that the transport closed brings no event; the stream's end follows.
            group.addTask {
              await gate.take().map { .event($0) } ?? (Task.isCancelled ? .sync(.cancelled) : nil)
            }
          case .awaitWrites: group.addTask { await awaitWrites() }
          case .closeStream: break  // With everything else, when this scope ends.
          case .progress(let report):
            isSyncing = true
            state(.syncing(report))
          case .news(let report, let error):
            if let error {
              state(.failed(error))
            } else if isSyncing {
              state(.upToDate(report))
            }
            isSyncing = false
            news(report, error)
          case .backOff(let backOff): return .success(backOff)
          case .finish(let error): return .failure(error)
          }
        }
        guard let event = await group.next() else {
          preconditionFailure("a follower that is not over waits for something")
        }
        actions = event.map { follower.handle($0, at: clock.now()) } ?? []
      }
    }
  }

  /// Brings a stream's events to the gate until it ends.
  /// - Returns: How it ended; nil in good order.
  private func stream(
    _ request: WatchRequest, as credential: String?, through gate: EventGate
  ) async -> SyncError? {
    do {
      if let credential { try transport.use(credential) }
      try await transport.watch(request) { event throws(SyncError) in await gate.bring(event) }
      return nil
    } catch {
      return error
    }
  }

  /// Polls, because other processes write to the replica as well.
  private func awaitWrites() async -> FollowEvent {
    while true {
      do { try await pacing.sleep(pacing.pollInterval) } catch { return .sync(.cancelled) }
      do {
        if try await store.perform(.hasWaitingWrites) == .waiting(true) { return .wroteLocally }
      } catch {
        return .sync(.storeFailed(error))
      }
    }
  }
}
