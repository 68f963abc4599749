// SPDX-License-Identifier: Apache-2.0
// Runs the state machines of a sync: carries out their actions on a store and a transport.

import AtrestReplication
import AtrestSync
import AtrestWire

/// Syncs a store over a transport. The engine is stateless: after any interruption the store knows
/// where to resume.
package struct SyncEngine: Sendable {
  let store: any ReplicaStore
  let transport: any SyncTransport
  let clock: any WallClock
  let pacing: Pacing

  /// Creates an engine on a store and a transport.
  package init(
    store: any ReplicaStore, transport: any SyncTransport, clock: any WallClock = SystemClock(),
    pacing: Pacing = Pacing()
  ) {
    self.store = store
    self.transport = transport
    self.clock = clock
    self.pacing = pacing
  }

  /// Pushes waiting writes and pulls new records until none are left. Offers earlier refused writes
  /// once more, last. Reconciles if the store demands it.
  ///
  /// - Parameters:
  ///   - allowingMassDeletion: Whether the person confirmed that most records be deleted.
  ///   - progress: Called after each stored answer with the totals so far.
  /// - Throws: `SyncError`. What was stored stays stored, and the next sync continues from there.
  ///   `.massDeletion` comes after everything else was exchanged.
  @discardableResult
  package func sync(
    allowingMassDeletion: Bool = false, progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    let report = try await runCycle(allowingMassDeletion: allowingMassDeletion, progress)
    if let held = report.heldDeletions { throw .massDeletion(count: held.count, of: held.of) }
    return report
  }

  /// Like `sync`, but reports held deletions instead of throwing.
  func runCycle(
    allowingMassDeletion: Bool = false, _ progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    let result = await withTaskGroup(of: SyncEvent.self) { group in
      var cycle = SyncCycle(
        bounds: SyncBounds(attempts: pacing.attempts), allowsMassDeletion: allowingMassDeletion)
      var actions = cycle.begin()
      while true {
        for action in actions {
          switch action {
          case .report(let report): progress(report)
          case .finish(let result):
            group.cancelAll()
            return result
          case .perform, .send, .backOff: group.addTask { await carryOut(action) }
          }
        }
        guard let event = await group.next() else {
          preconditionFailure("a sync that is not over waits for something")
        }
        actions = cycle.handle(event, at: clock.now())
      }
    }
    return try result.get()
  }

  /// Carries out one action that an event follows.
  func carryOut(_ action: SyncAction) async -> SyncEvent {
    switch action {
    case .perform(let request):
      do { return .stored(try await store.perform(request)) } catch { return .storeFailed(error) }
    case .send(let request, let credential):
      do { return try await send(request, as: credential) } catch { return .callFailed(error) }
    case .backOff(let backOff):
      do { try await pacing.sleep(pacing.delay(backOff)) } catch { return .cancelled }
      return .waited
    case .report, .finish:
      preconditionFailure("no event follows")
    }
  }

  private func send(
    _ request: SyncRequest, as credential: String?
  ) async throws(SyncError) -> SyncEvent {
    if let credential { try transport.use(credential) }
    let asked = clock.uptimeMilliseconds()
    let answer: SyncAnswer =
      switch request {
      case .exchange(let request): .exchange(try await transport.exchange(request))
      case .reconcile(let request): .reconcile(try await transport.reconcile(request))
      case .renew(let request): .renew(try await transport.renew(request))
      }
    return .answered(answer, at: clock.reading(since: asked))
  }

  /// Makes a call and retries transient errors, unless the server asked for a long pause.
  func repeated<Answer: Sendable>(
    _ call: () async throws(SyncError) -> Answer
  ) async throws(SyncError) -> Answer {
    var failures = 0
    while true {
      let backOff: BackOff
      do {
        return try await call()
      } catch {
        failures += 1
        guard error.isWorthWaiting, failures < pacing.attempts else { throw error }
        backOff = BackOff(failures: failures, after: error)
      }
      do { try await pacing.sleep(pacing.delay(backOff)) } catch { throw .cancelled }
    }
  }
}
