// SPDX-License-Identifier: Apache-2.0
// One call to the server, repeated after transient failures.

import AtrestWire

/// A request of a sync. Repeating one changes nothing.
package enum SyncRequest: Hashable, Sendable {
  /// Exchanges changes.
  case exchange(ExchangeRequest)
  /// Makes one round of a comparison.
  case reconcile(ReconcileRequest)
  /// Asks for a new identity.
  case renew(RenewRequest)
}

/// The answer to a `SyncRequest`, of the same case.
package enum SyncAnswer: Hashable, Sendable {
  /// To an exchange.
  case exchange(ExchangeResponse)
  /// To a round of a comparison.
  case reconcile(ReconcileResponse)
  /// To the request for a new identity.
  case renew(PairResponse)
}

/// A call in progress.
///
///     calling ──answer──▶ (over)
///      │   ▲
///      │   └─waited── pausing
///      └─transient──────▶┘      any other failure, or too many: over
struct SyncCall: Hashable {
  private let request: SyncRequest
  private let credential: String?
  private var failures = 0

  init(_ request: SyncRequest, as credential: String?) {
    self.request = request
    self.credential = credential
  }

  /// Sends it, for the first time or once more.
  var send: SyncAction { .send(request, as: credential) }

  /// - Returns: The pause before it is sent again.
  /// - Throws: The failure, if it is permanent or the last that is allowed, or if the server asks
  ///   for a longer pause than a sync waits.
  mutating func failed(_ error: SyncError, attempts: Int) throws(SyncError) -> SyncAction {
    failures += 1
    guard error.isWorthWaiting, failures < attempts else { throw error }
    return .backOff(BackOff(failures: failures, after: error))
  }
}
