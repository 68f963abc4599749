// SPDX-License-Identifier: Apache-2.0
// Keeps accounts and devices in memory, so that most calls need no storage.

import AtrestDomain
import AtrestHTTP2
import AtrestReplication
import AtrestWire
import Synchronization

/// The accounts and devices that this daemon serves. About 300 bytes per device. Thread-safe.
///
/// Of a store that nobody else writes it holds all: loaded at startup, and updated after each
/// commit that changes them. Of a shared store it caches those that called last, and trusts what it
/// knows of a device only for as long as it would have heard of a change (`CacheTrust`).
package final class SessionRegistry: Sendable {
  private struct State {
    var accounts: LiveCache<AccountID, AccountState>
    var sessions: LiveCache<ReplicaID, DeviceSession>
    var notes: [AccountID: Notes] = [:]
  }

  /// Device data to write with the next commit.
  struct Notes {
    /// The time of each device's last call.
    var seen: [DeviceAddress: WallTime] = [:]
    /// Each device's position in its account's feed.
    var progress: [DeviceAddress: DeviceProgress] = [:]

    func write(to devices: any DeviceStore) throws(StoreError) {
      try devices.note(seen: seen, progress: progress)
    }
  }

  private let state: Mutex<State>
  /// Nil: nobody else writes to the store, and everything is in memory.
  private let trust: CacheTrust?

  /// Devices of a shared store that are kept in memory though they have no call under way.
  package static let sharedLimit = 50_000

  /// Creates an empty registry of a store that nobody else writes.
  package convenience init() { self.init(limit: .max, trust: nil) }

  /// Creates an empty cache of a shared store.
  ///
  /// - Parameter limit: Devices that are kept though they have no call under way.
  package convenience init(trust: CacheTrust, limit: Int = sharedLimit) {
    self.init(limit: limit, trust: trust)
  }

  private init(limit: Int, trust: CacheTrust?) {
    self.trust = trust
    state = Mutex(State(accounts: LiveCache(limit: limit), sessions: LiveCache(limit: limit)))
  }

  /// Whether devices have to be looked up in the store.
  var isShared: Bool { trust != nil }

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
    let account = AccountState(id: id, name: name, head: head)
    state.withLock { $0.accounts.insert(account, for: id) }
  }

  /// Adds a device of a shared store, or updates what is known of it.
  ///
  /// - Parameters:
  ///   - account: Its account, as it was read.
  ///   - devices: All devices of the account.
  ///   - instant: Before all this was read.
  ///   - now: The server's clock.
  /// - Returns: Nil if the device has no access.
  package func learn(
    _ device: DeviceEntry, of account: AccountEntry, among devices: [DeviceEntry],
    at instant: Instant, now: WallTime
  ) -> DeviceSession? {
    let origins = Dictionary(devices.map { ($0.replica, $0.origin) }) { first, _ in first }
    let first = Self.firstIdentity(of: device) { origins[$0] }
    let (session, isNews) = state.withLock { state in
      let known = state.accounts.value(account.id)
      let owner =
        known
        ?? AccountState(
          id: account.id, name: account.name, head: account.head, learned: instant, trust: trust)
      if known == nil { state.accounts.insert(owner, for: account.id) }
      let isNews = owner.learn(account.head, at: instant)
      if let session = state.sessions.value(device.replica), session.account === owner {
        return (session, isNews)
      }
      let session = DeviceSession(device, first: first, account: owner)
      state.sessions.insert(session, for: device.replica)
      return (session, isNews)
    }
    if isNews { session.account.announceHead(serverTime: now) }
    session.rename(to: device.name)
    session.confirm(at: instant)
    guard let revoked = device.revoked else { return session.isRevoked ? nil : session }
    session.revoke(at: revoked)
    return nil
  }

  /// Adds a device. Its account must exist.
  func add(_ device: DeviceEntry) {
    add(device) { session($0)?.origin }
  }

  private func add(_ device: DeviceEntry, origin: (ReplicaID) -> DeviceOrigin?) {
    let first = Self.firstIdentity(of: device, origin: origin)
    state.withLock { state in
      // Of a shared store: whoever calls next is looked up.
      guard trust == nil, let account = state.accounts.value(device.account) else { return }
      let session = DeviceSession(device, first: first, account: account)
      state.sessions.insert(session, for: device.replica)
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
    state.withLock { $0.accounts.value(id) }
  }

  /// The accounts in memory, in the order of their numbers.
  var accounts: [AccountState] {
    state.withLock { $0.accounts.all }.sorted { $0.id.rawValue < $1.id.rawValue }
  }

  /// The device, or nil.
  package func session(_ replica: ReplicaID) -> DeviceSession? {
    state.withLock { $0.sessions.value(replica) }
  }

  /// A device as lists show it: as the store has it, but for what memory knows better.
  func shown(_ device: DeviceEntry, isCurrent: Bool) -> Device {
    if let session = session(device.replica) { return session.device(isCurrent: isCurrent) }
    return Device(
      replica: device.replica, name: device.name, paired: device.paired, seen: device.seen,
      revoked: device.revoked, isCurrent: isCurrent, origin: device.origin)
  }

  /// Who calls, as far as memory tells.
  package enum Authentication {
    case device(DeviceSession)
    /// The token is missing, wrong or revoked.
    case refused
    /// The store has to be asked about the token.
    case unknown(Token)
  }

  /// Authenticates a call by its metadata. About 300 ns.
  package func authenticate(_ metadata: Metadata, at now: WallTime) -> Authentication {
    guard let header = metadata.onlyBytes("authorization"),
      let token = Token(authorization: header)
    else { return .refused }
    guard let session = session(token.replica) else {
      return trust == nil ? .refused : .unknown(token)
    }
    guard session.accepts(token.secret) else { return .refused }
    if let trust, !trust.covers(session.confirmed) { return .unknown(token) }
    return admit(session, at: now)
  }

  /// Authenticates a call by a token that was looked up in the store.
  func authenticate(_ token: Token, as session: DeviceSession, at now: WallTime) -> Authentication {
    session.accepts(token.secret) ? admit(session, at: now) : .refused
  }

  private func admit(_ session: DeviceSession, at now: WallTime) -> Authentication {
    guard !session.isRevoked else { return .refused }
    if session.touch(at: now) {
      state.withLock { $0.notes[session.account.id, default: Notes()].seen[session.address] = now }
    }
    return .device(session)
  }

  /// Records what a device acknowledged and what it was sent. About 10 ns if neither is new.
  func note(told: UInt64?, acknowledged: UInt64?, of session: DeviceSession) {
    guard session.moves(told: told, acknowledged: acknowledged) else { return }
    // Read the position again: another response may have advanced it.
    state.withLock {
      $0.notes[session.account.id, default: Notes()].progress[session.address] = session.progress
    }
  }

  /// Takes the data to write. Each note is returned once.
  ///
  /// - Parameter accounts: Only of these; nil: of all.
  func takeNotes(of accounts: Set<AccountID>? = nil) -> Notes {
    let taken = state.withLock { state in
      guard let accounts else {
        defer { state.notes = [:] }
        return Array(state.notes.values)
      }
      return accounts.compactMap { state.notes.removeValue(forKey: $0) }
    }
    guard var sum = taken.first else { return Notes() }
    for notes in taken.dropFirst() {
      sum.seen.merge(notes.seen) { one, _ in one }
      sum.progress.merge(notes.progress) { one, _ in one }
    }
    return sum
  }

  /// Returns data that could not be written, unless it is superseded by now.
  func putBack(_ notes: Notes) {
    state.withLock { state in
      for (device, time) in notes.seen where state.notes[device.account]?.seen[device] == nil {
        state.notes[device.account, default: Notes()].seen[device] = time
      }
      for (device, progress) in notes.progress
      where state.notes[device.account]?.progress[device] == nil {
        state.notes[device.account, default: Notes()].progress[device] = progress
      }
    }
  }

  /// At most `limit` accounts with data to write.
  func accountsWithNotes(limit: Int) -> [AccountID] {
    state.withLock { Array($0.notes.keys.prefix(limit)) }
  }

  /// How far the median device clock of each account is ahead of the server's, in milliseconds.
  /// Contains only accounts whose devices reported a clock.
  func clockOffsets(heardSince horizon: WallTime) -> [Int64] {
    let sessions = state.withLock { $0.sessions.all }
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
      let devices = state.sessions.all.filter { $0.account.id == id }
      for device in devices { state.sessions.remove(device.replica) }
      state.accounts.remove(id)
      return devices
    }
    // Calls in progress still hold the sessions.
    for device in devices { device.revoke(at: now) }
    return devices.count
  }

  /// Learns what another daemon committed. Nothing of it may be known here.
  package func hear(_ news: StoreNews, at now: WallTime) {
    switch news {
    case .head(let id, let head):
      if let account = account(id), account.hear(head) { account.announceHead(serverTime: now) }
    case .revoked(let replica): revoke(replica, at: now)
    case .renamed(let replica): session(replica)?.doubt()
    case .removed(let account): _ = remove(account, at: now)
    case .pairing: break
    }
  }

  /// Ends every Watch stream, because the server is stopping.
  func endWatches(_ status: Status) {
    for session in state.withLock({ $0.sessions.all }) { session.endWatches(status) }
  }
}
