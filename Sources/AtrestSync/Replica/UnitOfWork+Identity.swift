// SPDX-License-Identifier: Apache-2.0
// Joins an account, leaves it, and takes a new identity in it.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// The nonce of the request to join with a link. It stays the same until the request is answered
  /// or another link is used, and must be durable before it is sent.
  ///
  /// - Throws: `.alreadyPaired`.
  package func nonce(joiningWith link: String) throws(ReplicaError) -> [UInt8] {
    try requireUnpaired()
    if let pending = tables.state.joining, pending.link == link { return pending.nonce }
    let nonce = longNonce()
    tables.state.joining = PendingJoin(link: link, nonce: nonce)
    return nonce
  }

  /// Takes the identity that pairing gave and restamps all waiting writes with it.
  ///
  /// - Throws: `.alreadyPaired`; `.invalid` if the answer cannot be used.
  package mutating func adopt(
    _ pairing: PairResponse, server: String
  ) throws(ReplicaError) {
    try requireUnpaired()
    let wasPairedBefore = tables.state.replica != .none
    tables.state.serverOffset.learn(pairing.serverTime, now: now)
    if wasPairedBefore {
      try restamp(as: pairing.replica)
    } else {
      try restamp(aheadOf: pairing.serverTime, as: pairing.replica)
    }
    try outbox.restartLog()
    tables.state.leave()
    // Of this account nothing was received yet: see `holdsEverything`.
    tables.state.lastSync = nil
    tables.state.server = server
    tables.state.joining = nil
    try take(pairing)
  }

  /// Leaves the account. Records and waiting writes stay.
  package func unpair() {
    tables.state.account = nil
    tables.state.server = nil
    tables.state.token = nil
    tables.state.hasAccessEnded = false
    tables.state.leave()
  }

  /// The request for a new identity, the same until one was taken. It must be durable before it is
  /// sent.
  package func renewal() -> RenewRequest {
    let nonce = tables.state.renewal ?? longNonce()
    tables.state.renewal = nonce
    return RenewRequest(nonce: nonce)
  }

  /// Takes a new identity, restamps all waiting writes, starts a new outbox log and demands a
  /// reconcile. For a replica that is a copy or was restored from one.
  ///
  /// - Parameter credential: The credential to replace.
  /// - Returns: Whether it did; false if another one took its place in the meantime.
  /// - Throws: `.invalid` if the answer cannot be used.
  package mutating func adopt(
    renewed identity: PairResponse, insteadOf credential: String?
  ) throws(ReplicaError) -> Bool {
    guard tables.state.token == credential else { return false }
    tables.state.serverOffset.learn(identity.serverTime, now: now)
    // The times stay. The server may have these writes under the old identity, and a later write by
    // somebody who saw one must win.
    try restamp(as: identity.replica)
    try outbox.restartLog()
    tables.state.renewal = nil
    // Cursor and head remain valid. The records may not be: a copy shares stamps with its original,
    // and restamping demands a reconcile.
    try take(identity)
    return true
  }

  /// Takes the identity that the server gave.
  private func take(_ identity: PairResponse) throws(ReplicaError) {
    // The token is sent in every call's metadata, so it must be printable ASCII without spaces.
    guard !identity.token.isEmpty,
      identity.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .invalid("the token is not text that can be sent") }
    tables.state.replica = identity.replica
    tables.state.account = shown(identity.accountName)
    tables.state.token = identity.token
    tables.state.hasAccessEnded = false
  }

  private func requireUnpaired() throws(ReplicaError) {
    if let account = tables.state.account { throw .alreadyPaired(account: account) }
  }

  /// 32 random bytes: the nonce of a request that may have to be repeated.
  private func longNonce() -> [UInt8] {
    (0..<4).flatMap { _ in
      let number = nonce()
      return (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
  }
}
