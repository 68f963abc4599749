// SPDX-License-Identifier: Apache-2.0
// Knows every account and device in memory, so that most calls need no storage.

import Replication
import Synchronization
import Transport

/// All accounts and devices of a store, loaded when it is opened and changed after each commit that changes
/// them. About 300 bytes a device. Thread-safe.
package final class Directory: Sendable {
  private struct State {
    var accounts: [AccountID: AccountState] = [:]
    var sessions: [ReplicaID: Session] = [:]
    var seen: [ReplicaID: WallTime] = [:]
    var standing: [ReplicaID: UInt64] = [:]
  }

  private let state = Mutex(State())

  /// An empty directory.
  package init() {}

  /// Reads accounts and devices.
  package func load(_ store: any SyncStore) throws(StoreError) {
    let (accounts, devices) = try store.transaction { transaction throws(StoreError) in
      (try transaction.accounts(), try transaction.devices(of: nil))
    }
    for account in accounts { add(account: account.id, name: account.name, head: account.head) }
    for device in devices { add(device) }
  }

  /// Adds an account.
  func add(account id: AccountID, name: String, head: UInt64 = 0) {
    state.withLock { $0.accounts[id] = AccountState(id: id, name: name, head: head) }
  }

  /// Adds a device; its account must be there.
  func add(_ device: DeviceEntry) {
    state.withLock { state in
      guard let account = state.accounts[device.account] else { return }
      state.sessions[device.replica] = Session(device, account: account)
    }
  }

  /// The account, or nil.
  package func account(_ id: AccountID) -> AccountState? {
    state.withLock { $0.accounts[id] }
  }

  /// All accounts.
  var accounts: [AccountID] {
    state.withLock { Array($0.accounts.keys) }
  }

  /// The device, or nil.
  package func session(_ replica: ReplicaID) -> Session? {
    state.withLock { $0.sessions[replica] }
  }

  /// Whose call this is, from its metadata; nil if nobody's who has access. About 300 ns.
  package func authenticate(_ metadata: Metadata, at now: WallTime) -> Session? {
    guard let header = metadata.onlyBytes("authorization"),
      let token = Token(authorization: header),
      let session = session(token.replica), !session.isRevoked, session.accepts(token.secret)
    else { return nil }
    if session.touch(at: now) {
      state.withLock { $0.seen[session.replica] = now }
    }
    return session
  }

  /// What has to be written of when devices called; each time only once.
  func takeSeen() -> [ReplicaID: WallTime] {
    state.withLock { state in
      defer { state.seen = [:] }
      return state.seen
    }
  }

  /// Notes up to where a device said that it holds everything. About 10 ns if it said so before.
  func note(standing sequence: UInt64, of session: Session) {
    guard session.moves(to: sequence) else { return }
    state.withLock { $0.standing[session.replica] = sequence }
  }

  /// What has to be written of where devices stand; each time only once.
  func takeStanding() -> [ReplicaID: UInt64] {
    state.withLock { state in
      defer { state.standing = [:] }
      return state.standing
    }
  }

  /// Ends a device's access.
  func revoke(_ replica: ReplicaID, at now: WallTime) {
    session(replica)?.revoke(at: now)
  }

  /// Forgets an account and its devices, whose access ends.
  ///
  /// - Returns: How many devices there were.
  func remove(_ id: AccountID, at now: WallTime) -> Int {
    let devices = state.withLock { state in
      let devices = state.sessions.values.filter { $0.account.id == id }
      for device in devices { state.sessions[device.replica] = nil }
      state.accounts[id] = nil
      return devices
    }
    // Calls under way hold them.
    for device in devices { device.revoke(at: now) }
    return devices.count
  }

  /// Ends every Watch stream: the server is going away.
  func endWatches(_ status: Status) {
    for session in state.withLock({ Array($0.sessions.values) }) { session.endWatches(status) }
  }
}
