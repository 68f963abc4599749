// SPDX-License-Identifier: Apache-2.0
// A scripted server, and time that passes only by sleeping.

import AtrestClient
import AtrestSync
import AtrestWire
import Synchronization

/// Time that passes only by sleeping. Sleeps of one length can be held until the test releases
/// them.
final class ScriptedTime: Sendable {
  private struct State {
    var now = Duration.zero
    var held: Duration?
    var sleepers: [CheckedContinuation<Void, Never>] = []
    var isReleased = false
  }
  private let state = Mutex(State())

  /// - Parameter held: Sleeps of this length end only with `release()`.
  init(holding held: Duration? = nil) { state.withLock { $0.held = held } }

  var elapsed: Duration { state.withLock { $0.now } }

  func pass(_ duration: Duration) { state.withLock { $0.now += duration } }

  /// Ends held sleeps and holds no later ones.
  func release() {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [] }
      state.isReleased = true
      return state.sleepers
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  func sleep(_ duration: Duration) async throws {
    try Task.checkCancellation()
    let isHeld = state.withLock { state in
      guard state.held == duration else {
        state.now += duration
        return false
      }
      return !state.isReleased
    }
    guard isHeld else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          // Asked once: a task may be cancelled between two questions.
          let isOver = state.isReleased || Task.isCancelled
          if !isOver { state.sleepers.append(continuation) }
          return isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let sleepers = state.withLock { state in
        defer { state.sleepers = [] }
        return state.sleepers
      }
      for sleeper in sleepers { sleeper.resume() }
    }
    try Task.checkCancellation()
  }

  func pacing(attempts: Int = 3) -> Pacing {
    var pacing = Pacing()
    pacing.attempts = attempts
    pacing.random = { .max }
    pacing.sleep = { try await self.sleep($0) }
    return pacing
  }
}

/// A server that answers each Pair request as scripted.
struct ScriptedJoining: JoiningTransport {
  /// The requests, in order.
  let requests = Shared<[PairRequest]>([])
  var isThere: @Sendable (Int) throws(SyncError) -> Void = { _ throws(SyncError) in }
  /// The response to a request; its number counts from 0.
  var answer: @Sendable (PairRequest, Int) async throws(SyncError) -> PairResponse

  func connect() async throws(SyncError) { try isThere(requests.value.count) }

  func pair(
    _ request: PairRequest, within patience: Duration
  ) async throws(SyncError) -> PairResponse {
    let number = requests.value.count
    requests.update { $0.append(request) }
    return try await answer(request, number)
  }
}
