// SPDX-License-Identifier: Apache-2.0
// Repeats a join request until it is answered, through lost calls and a person's decision.

import AtrestSync
import AtrestWire
import Synchronization

/// The calls that joining needs.
package protocol JoiningTransport: Sendable {
  /// Connects to the server, so that a later wait is known to be a wait for the answer. Throws like
  /// `pair`.
  func connect() async throws(SyncError)

  /// Asks to join.
  ///
  /// - Parameter patience: The longest wait for the answer, connecting included.
  /// - Throws: `.unreachable` for transient failures, anything else for permanent ones.
  func pair(
    _ request: PairRequest, within patience: Duration
  ) async throws(SyncError) -> PairResponse
}

/// One attempt to join an account. The server answers at once, or when a device of the account has
/// admitted this one. A lost call is repeated with the same nonce and continues the same wait.
package struct Joining: Sendable {
  package var transport: any JoiningTransport
  /// Attempts and delays for calls that fail at once.
  package var pacing = Pacing()
  /// A server that needs no approval answers within this time. After it, the person is told about
  /// the wait.
  package var grace = Duration.seconds(1)
  /// The longest wait. Longer than the lifetime of any code.
  package var patience = Duration.seconds(360)
  /// Time since creation. Monotonic, so changes to the wall clock do not matter.
  package var elapsed: @Sendable () -> Duration = {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }()

  package init(transport: any JoiningTransport) {
    self.transport = transport
  }

  /// Joins the account.
  ///
  /// - Parameter waiting: Called once if the answer takes longer than `grace`.
  /// - Throws: `SyncError`; `.notLetIn` if the server refuses after a wait.
  package func join(
    _ request: PairRequest, waiting: @escaping @Sendable () -> Void
  ) async throws(SyncError) -> PairResponse {
    let said = Said()
    let start = elapsed()
    var failures = 0
    while true {
      var backOff: BackOff
      do {
        try await transport.connect()
        let notice = Task {
          guard (try? await pacing.sleep(grace)) != nil else { return }
          if said.say() { waiting() }
        }
        defer { notice.cancel() }
        return try await transport.pair(
          request, within: max(patience - (elapsed() - start), .seconds(1)))
      } catch {
        let isPatient = said.isSaid
        if isPatient, error.code == .notPermitted { throw .notLetIn }
        failures += 1
        // After a wait, retry until the code must have expired; before, limit attempts as for any
        // call.
        let goesOn =
          isPatient
          ? error.isTransient && elapsed() - start < patience
          : error.isWorthWaiting && failures < pacing.attempts
        guard goesOn else { throw error }
        backOff = BackOff(failures: failures, after: error)
      }
      // Somebody is about to decide and sees only connected devices, so retry quickly.
      if said.isSaid { backOff.capMilliseconds = 2_000 }
      let pause = min(pacing.delay(backOff), patience - (elapsed() - start))
      do { try await pacing.sleep(pause) } catch { throw .cancelled }
    }
  }
}

/// Whether `waiting` was called.
private final class Said: Sendable {
  private let value = Mutex(false)

  var isSaid: Bool { value.withLock { $0 } }

  /// Returns true the first time only.
  func say() -> Bool {
    value.withLock { value in
      defer { value = true }
      return !value
    }
  }
}
