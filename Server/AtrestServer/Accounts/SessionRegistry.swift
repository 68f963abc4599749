// SPDX-License-Identifier: Apache-2.0
// Keeps every account and device in memory, so that most calls need no storage.

import AtrestDomain
import AtrestHTTP2
import AtrestReplication
import AtrestWire
import Synchronization

/// All accounts and devices of a store. Loaded at startup and updated after each commit that
/// changes them. About 300 bytes per device. Thread-safe.
package final class SessionRegistry: Sendable {
  private struct State {
    var accounts: [AccountID: AccountState] = [:]
    var sessions: [ReplicaID: DeviceSession] = [:]
    var notes = Notes()
  }

  /// Device data to write with the next commit.
  struct Notes {
    /// The time of each device's last call.
    var seen: [DeviceAddress: WallTime] = [:]
    /// Each device's position in its account's feed.
    var progress: [DeviceAddress: DeviceProgress] = [:]
  }

  private let state = Mutex(State())

  /// Creates an empty registry.
  package init() {}

  /// Loads accounts and devices from the store.
  package func load(_ store: any SyncStore) throws(StoreError) {
    let (accounts, devices) = try store.transaction { transaction throws(StoreError) in
      (try transaction.accounts.list(), try transaction.devices.list(of: nil))
    }
    for account in accounts { add(account: account.id, name: account.name, head: account.head) }
    let origins = Dictionary(devices.map { ($0.replica, $0.origin) }) { first, _ in first }
    for device in devices { add(device) { origins[$0] } }
  }

  func add(account id: AccountID, name: String, head: Cursor = .start) {
    state.withLock { $0.accounts[id] = AccountState(id: id, name: name, head: head) }
  }

  /// Adds a device. Its account must exist.
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

  /// - Parameter origin: Returns the origin of another device, or nil if it is unknown.
  private static func firstIdentity(
    of device: DeviceEntry, origin: (ReplicaID) -> DeviceOrigin?
  ) -> ReplicaID {
    // Corrupt rows could form a cycle.
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

  var accounts: [AccountID] {
    state.withLock { Array($0.accounts.keys) }
  }

  /// The device, or nil.
  package func session(_ replica: ReplicaID) -> DeviceSession? {
    state.withLock { $0.sessions[replica] }
  }

  /// Authenticates a call by its metadata. Nil if the token is missing, wrong or revoked. About 300
  /// ns.
  package func authenticate(_ metadata: Metadata, at now: WallTime) -> DeviceSession? {
    guard let header = metadata.onlyBytes("authorization"),
      let token = Token(authorization: header),
      let session = session(token.replica), !session.isRevoked, session.accepts(token.secret)
    else { return nil }
    if session.touch(at: now) {
      state.withLock { $0.notes.seen[session.address] = now }
    }
    return session
  }

  /// Records what a device acknowledged and what it was sent. About 10 ns if neither is new.
  func note(told: UInt64?, acknowledged: UInt64?, of session: DeviceSession) {
    guard session.moves(told: told, acknowledged: acknowledged) else { return }
    // Read the position again: another response may have advanced it.
    state.withLock { $0.notes.progress[session.address] = session.progress }
  }

  /// Takes the data to write. Each note is returned once.
  func takeNotes() -> Notes {
    state.withLock { state in
      defer { state.notes = Notes() }
      return state.notes
    }
  }

  /// Returns data that could not be written, unless it is superseded by now.
  func putBack(_ notes: Notes) {
    state.withLock { state in
      state.notes.seen.merge(notes.seen) { newer, _ in newer }
      state.notes.progress.merge(notes.progress) { newer, _ in newer }
    }
  }

  /// How far the median device clock of each account is ahead of the server's, in milliseconds.
  /// Contains only accounts whose devices reported a clock.
  func clockOffsets(heardSince horizon: WallTime) -> [Int64] {
    let sessions = state.withLock { Array($0.sessions.values) }
    var offsets: [AccountID: [Int64]] = [:]
    for session in sessions where !session.isRevoked {
      guard let offset = session.clockOffset(heardSince: horizon) else { continue }
      offsets[session.account.id, default: []].append(offset)
    }
    return offsets.values.map { $0.sorted()[$0.count / 2] }
  }

  /// Revokes a device.
  func revoke(_ replica: ReplicaID, at now: WallTime) {
    session(replica)?.revoke(at: now)
  }

  /// Removes an account, and revokes and removes its devices.
  ///
  /// - Returns: The number of devices.
  func remove(_ id: AccountID, at now: WallTime) -> Int {
    let devices = state.withLock { state in
      let devices = state.sessions.values.filter { $0.account.id == id }
      for device in devices { state.sessions[device.replica] = nil }
      state.accounts[id] = nil
      return devices
    }
    // Calls in progress still hold the sessions.
    for device in devices { device.revoke(at: now) }
    return devices.count
  }

  /// Ends every Watch stream, because the server is stopping.
  func endWatches(_ status: Status) {
    for session in state.withLock({ Array($0.sessions.values) }) { session.endWatches(status) }
  }
}
