// SPDX-License-Identifier: Apache-2.0
// Ends a caller's calls on all connections when its right to call is revoked.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// A caller's right to call. The authorizer keeps one per caller and returns it in
/// `Authorization.granted`. ``revoke(_:)`` ends every call made with it. Thread-safe.
public final class CallerGrant: Sendable {
  /// Time from `revoke` to the end of calls. Calls being answered may finish, such as the one that
  /// revokes the caller's own grant.
  static let callGrace: Duration = .milliseconds(200)
  /// Time from the end of calls to closing connections without other callers. Lets the trailers
  /// leave.
  static let connectionGrace: Duration = .milliseconds(300)

  private struct State {
    var isRevoked = false
    var connections: [ObjectIdentifier: ShardBound<ServerHandler>] = [:]
  }

  private let state = Mutex(State())
  private let underWay = Atomic(0)

  /// Pays for the memory of its calls.
  public let payer: Balance

  /// Creates a valid grant.
  ///
  /// - Parameter payer: The caller. Its parent sums callers that count together.
  public init(payer: Balance = Balance()) {
    self.payer = payer
  }

  /// Ends every call made with this grant with `status`, answered or not, and closes every
  /// connection without calls of other callers. Takes at most half a second, even if the peer does
  /// not read. The authorizer must refuse later calls. Idempotent.
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

  /// Registers a connection that carries a call. False if the grant was revoked.
  func add(_ handler: ServerHandler) -> Bool {
    let connection = ShardBound(handler, to: handler.shard)
    return state.withLock { state in
      guard !state.isRevoked else { return false }
      state.connections[ObjectIdentifier(handler)] = connection
      return true
    }
  }

  /// Counts a new call. False if `limit` calls are active already.
  func begin(limit: Int) -> Bool {
    guard underWay.add(1, ordering: .relaxed).newValue > limit else { return true }
    end()
    return false
  }

  /// Counts the end of a call.
  func end() { underWay.subtract(1, ordering: .relaxed) }

  func remove(_ handler: ServerHandler) {
    let key = ObjectIdentifier(handler)
    let removed = state.withLock { $0.connections.removeValue(forKey: key) }
    withExtendedLifetime(removed) {}
  }
}
