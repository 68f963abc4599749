// SPDX-License-Identifier: Apache-2.0
// Asks to join an account until there is an answer: through lost calls, and while a person makes up
// their mind.

import AtrestProtocol
import Synchronization

/// What joining needs of the way to a server.
package protocol JoiningTransport: Sendable {
  /// Reaches the server, so that waiting for an answer is known to be that. Throws as `pair`.
  func connect() async throws(SyncError)

  /// Asks to join.
  ///
  /// - Parameter patience: How long the answer may take, connecting included.
  /// - Throws: `.unreachable` for what may pass by itself, anything else for what will not.
  func pair(
    _ request: PairRequest, within patience: Duration
  ) async throws(SyncError) -> PairResponse
}

/// One attempt to join an account. The server answers at once, or when a device of the account has
/// let this one in; a call that is lost meanwhile is repeated under the same name and goes on
/// waiting.
package struct Joining: Sendable {
  /// The way to the server.
  package var transport: any JoiningTransport
  /// How often a call is tried that comes to nothing at once, and how fast.
  package var pacing = Pacing()
  /// A server that needs nobody's word has answered after this; whoever waits longer is told why.
  package var grace = Duration.seconds(1)
  /// Longer than any code lives.
  package var patience = Duration.seconds(360)
  /// Time that has passed since some moment, whatever is done to the device's clock.
  package var elapsed: @Sendable () -> Duration = {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }()

  package init(transport: any JoiningTransport) {
    self.transport = transport
  }

  /// Joins.
  ///
  /// - Parameter waiting: Called once if the answer takes longer than the grace.
  /// - Throws: `SyncError`; `.notLetIn` if the server said no after it had made this device wait.
  package func join(
    _ request: PairRequest, waiting: @escaping @Sendable () -> Void
  ) async throws(SyncError) -> PairResponse {
    let said = Said()
    let start = elapsed()
    var failures = 0
    while true {
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
        // Who was made to wait comes back until the code must have ended; else it is an ordinary
        // call.
        let isOver = isPatient ? elapsed() - start >= patience : failures >= pacing.attempts
        guard error.isTransient, !isOver else { throw error }
      }
      // Somebody is about to decide, and can only see who is there.
      let longest: Duration = said.isSaid ? .seconds(2) : pacing.cap
      do { try await pacing.sleep(min(pacing.delay(after: failures), longest)) } catch {
        throw .cancelled
      }
    }
  }
}

/// Whether something was said.
private final class Said: Sendable {
  private let value = Mutex(false)

  var isSaid: Bool { value.withLock { $0 } }

  /// Whether this is the first time.
  func say() -> Bool {
    value.withLock { value in
      defer { value = true }
      return !value
    }
  }
}
