// SPDX-License-Identifier: Apache-2.0
// Ends what one caller has open, on whatever connections, when its right to call ends.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// A caller's right to call. Whoever authorises calls keeps one for each caller and hands it out
/// with `Authorization.granted`; ``revoke(_:)`` then reaches every call made with it. Thread-safe.
public final class CallerGrant: Sendable {
  /// From `revoke` to the end of calls: what is being answered may still be, such as the call that
  /// withdraws the caller's own right.
  static let callGrace: Duration = .milliseconds(200)
  /// From the end of calls to the end of connections that carried nobody else's: for the last
  /// words.
  static let connectionGrace: Duration = .milliseconds(300)

  private struct State {
    var isRevoked = false
    var connections: [ObjectIdentifier: ShardBound<ServerHandler>] = [:]
  }

  private let state = Mutex(State())
  private let underWay = Atomic(0)

  /// Who pays for what its calls have the server hold.
  public let payer: Holder

  /// A right that holds.
  ///
  /// - Parameter payer: The caller. Under whoever has several callers, so that those count
  ///   together.
  public init(payer: Holder = Holder()) {
    self.payer = payer
  }

  /// Ends every call made with this right, answered or not, with `status`, and every connection
  /// that carried no other caller's calls: within half a second, whether the peer reads or not.
  /// Calls that come later are the authorisation's business. Once; later calls do nothing.
  public func revoke(_ status: Status) {
    let connections = state.withLock { state in
      guard !state.isRevoked else { return [] as [ShardBound<ServerHandler>] }
      state.isRevoked = true
      defer { state.connections = [:] }
      return Array(state.connections.values)
    }
    for connection in connections {
      connection.shard.async { connection.value.grantRevoked(self, status) }
    }
  }

  /// Notes a connection that carries a call; false if the right has been withdrawn.
  func add(_ handler: ServerHandler) -> Bool {
    let connection = ShardBound(handler, to: handler.shard)
    return state.withLock { state in
      guard !state.isRevoked else { return false }
      state.connections[ObjectIdentifier(handler)] = connection
      return true
    }
  }

  /// Notes that a call begins; false if there are `limit` already.
  func begin(limit: Int) -> Bool {
    guard underWay.add(1, ordering: .relaxed).newValue > limit else { return true }
    end()
    return false
  }

  /// A call has ended.
  func end() { underWay.subtract(1, ordering: .relaxed) }

  func remove(_ handler: ServerHandler) {
    let key = ObjectIdentifier(handler)
    let removed = state.withLock { $0.connections.removeValue(forKey: key) }
    withExtendedLifetime(removed) {}
  }
}
