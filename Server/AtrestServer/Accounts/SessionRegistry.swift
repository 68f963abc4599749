// SPDX-License-Identifier: Apache-2.0
// Knows every account and device in memory, so that most calls need no storage.

import AtrestHTTP2
import AtrestProtocol
import AtrestReplication
import Synchronization

/// All accounts and devices of a store, loaded when it is opened and changed after each commit that
/// changes them. About 300 bytes a device. Thread-safe.
package final class SessionRegistry: Sendable {
  private struct State {
    var accounts: [AccountID: AccountState] = [:]
    var sessions: [ReplicaID: DeviceSession] = [:]
    var notes = Notes()
  }

  /// What has to be written of devices, with whatever is written next.
  struct Notes {
    /// When each called last.
    var seen: [ReplicaID: WallTime] = [:]
    /// Where each is in its account's feed.
    var progress: [ReplicaID: DeviceProgress] = [:]
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
    let origins = Dictionary(devices.map { ($0.replica, $0.origin) }) { first, _ in first }
    for device in devices { add(device) { origins[$0] } }
  }

  /// Adds an account.
  func add(account id: AccountID, name: String, head: Cursor = .start) {
    state.withLock { $0.accounts[id] = AccountState(id: id, name: name, head: head) }
  }

  /// Adds a device; its account must be there.
  func add(_ device: DeviceEntry) {
    add(device) { session($0)?.origin }
  }

  private func add(_ device: DeviceEntry, origin: (ReplicaID) -> DeviceOrigin?) {
    let first = Self.firstIdentity(of: device, origin: origin)
    state.withLock { state in
      guard let account = state.accounts[device.account] else { return }
      state.sessions[device.replica] = DeviceSession(device, first: first, account: account)
    }
  }

  /// - Parameter origin: Of other devices; nil if nobody knows.
  private static func firstIdentity(
    of device: DeviceEntry, origin: (ReplicaID) -> DeviceOrigin?
  ) -> ReplicaID {
    // Damaged rows could make a circle.
    var identities: Set = [device.replica]
    var (first, next) = (device.replica, Optional(device.origin))
    while case .renewed(let original) = next, identities.insert(original).inserted {
      (first, next) = (original, origin(original))
    }
    return first
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
  package func session(_ replica: ReplicaID) -> DeviceSession? {
    state.withLock { $0.sessions[replica] }
  }

  /// Whose call this is, from its metadata; nil if nobody's who has access. About 300 ns.
  package func authenticate(_ metadata: Metadata, at now: WallTime) -> DeviceSession? {
    guard let header = metadata.onlyBytes("authorization"),
      let token = Token(authorization: header),
      let session = session(token.replica), !session.isRevoked, session.accepts(token.secret)
    else { return nil }
    if session.touch(at: now) {
      state.withLock { $0.notes.seen[session.replica] = now }
    }
    return session
  }

  /// Notes what a device said that it holds, and what it was told. About 10 ns if neither is news.
  func note(told: UInt64?, acknowledged: UInt64?, of session: DeviceSession) {
    guard session.moves(told: told, acknowledged: acknowledged) else { return }
    // Read again: another answer may have moved it on since.
    state.withLock { $0.notes.progress[session.replica] = session.progress }
  }

  /// What has to be written of devices; each note only once.
  func takeNotes() -> Notes {
    state.withLock { state in
      defer { state.notes = Notes() }
      return state.notes
    }
  }

  /// Takes back what could not be written, unless something newer is known by now.
  func putBack(_ notes: Notes) {
    state.withLock { state in
      state.notes.seen.merge(notes.seen) { newer, _ in newer }
      state.notes.progress.merge(notes.progress) { newer, _ in newer }
    }
  }

  /// By how much the clock of each account's middle device is ahead of the server's, in
  /// milliseconds: of accounts whose devices said so.
  func clockOffsets(heardSince horizon: WallTime) -> [Int64] {
    let sessions = state.withLock { Array($0.sessions.values) }
    var offsets: [AccountID: [Int64]] = [:]
    for session in sessions where !session.isRevoked {
      guard let offset = session.clockOffset(heardSince: horizon) else { continue }
      offsets[session.account.id, default: []].append(offset)
    }
    return offsets.values.map { $0.sorted()[$0.count / 2] }
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
