// SPDX-License-Identifier: Apache-2.0
// Keeps accounts and devices in memory, so that most calls need no storage.

import AtrestDomain
import AtrestHTTP2
import AtrestReplication
import AtrestSockets
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
    var notes = WaitingNotes()
    var doubts: Doubts
  }

  /// Device data to write with the next commit.
  struct Notes {
    /// The time of each device's last call.
    var seen: [DeviceAddress: WallTime] = [:]
    /// Each device's position in its account's feed.
    var progress: [DeviceAddress: DeviceProgress] = [:]

    /// Those of other accounts.
    func without(_ accounts: Set<AccountID>) -> Notes {
      guard !accounts.isEmpty else { return self }
      return Notes(
        seen: seen.filter { !accounts.contains($0.key.account) },
        progress: progress.filter { !accounts.contains($0.key.account) })
    }

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
    state = Mutex(
      State(
        accounts: LiveCache(limit: limit), sessions: LiveCache(limit: limit),
        doubts: Doubts(lifetime: trust?.lifetime ?? .zero)))
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

  /// The accounts and devices in memory, and their open streams. Costs a microsecond for some
  /// tens of accounts.
  package var census: (accounts: Int, devices: Int, watches: Int) {
    let (accounts, devices) = state.withLock { ($0.accounts.all, $0.sessions.all.count) }
    return (accounts.count, devices, accounts.reduce(0) { $0 + $1.watchCount })
  }

  func add(account id: AccountID, name: String, head: Cursor = .start) {
    let account = AccountState(id: id, name: name, head: head, trust: trust)
    state.withLock { $0.accounts.insert(account, for: id) }
  }

  /// What a read of a device says about its call.
  package enum Learned {
    case device(DeviceSession)
    /// The device has no access.
    case noAccess
    /// The device was heard of since the read began, which is too long ago.
    case outdated
  }

  /// How old a read may be that admits a call although its device was heard of since: the time in
  /// which a revocation takes effect.
  private static let outdatedAfter: Duration = .seconds(1)

  /// Adds a device of a shared store, or updates what is known of it.
  ///
  /// - Parameters:
  ///   - account: Its account, as it was read.
  ///   - devices: All devices of the account.
  ///   - instant: Before all this was read.
  ///   - now: The server's clock.
  package func learn(
    _ device: DeviceEntry, of account: AccountEntry, among devices: [DeviceEntry],
    at instant: Instant, now: WallTime
  ) -> Learned {
    let origins = Dictionary(devices.map { ($0.replica, $0.origin) }) { first, _ in first }
    let first = Self.firstIdentity(of: device) { origins[$0] }
    let present = present
    let found = state.withLock { state -> (session: DeviceSession, isNews: Bool)? in
      let isDoubted = state.doubts.concern(
        .device(device.replica), .devices(account.id), readAt: instant, now: present)
      guard !isDoubted || present <= instant.advanced(by: Self.outdatedAfter) else { return nil }
      let known = state.accounts.value(account.id)
      let owner =
        known
        ?? AccountState(
          id: account.id, name: account.name, head: account.head, learned: instant, trust: trust)
      if known == nil {
        state.accounts.insert(owner, for: account.id)
        if state.doubts.concern(.head(account.id), readAt: instant, now: present) {
          _ = owner.doubt(unless: nil, at: present)
        }
      }
      let isNews = owner.learn(account.head, at: instant)
      var session = state.sessions.value(device.replica)
      // What was ended here stays so until a later read has it otherwise, as after a failover that
      // lost the revocation. Its object stays ended: calls that hold it are over.
      if let ended = session, ended.isRevoked, device.revoked == nil, !isDoubted { session = nil }
      if session?.account !== owner { session = nil }
      let current = session ?? DeviceSession(device, first: first, account: owner)
      if session == nil { state.sessions.insert(current, for: device.replica) }
      // Under the lock, so that no news come between.
      if !isDoubted { current.confirm(at: instant) }
      return (current, isNews)
    }
    guard let (session, isNews) = found else { return .outdated }
    if isNews { session.account.announceHead(serverTime: now) }
    session.rename(to: device.name)
    if let revoked = device.revoked { session.revoke(at: revoked) }
    return session.isRevoked ? .noAccess : .device(session)
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

  /// A device as lists show it: as the store has it, but for a call that was not written yet.
  func shown(_ device: DeviceEntry, isCurrent: Bool) -> Device {
    let noted = session(device.replica)?.seen
    return Device(
      replica: device.replica, name: device.name, paired: device.paired,
      seen: [noted, device.seen].compactMap(\.self).max(), revoked: device.revoked,
      isCurrent: isCurrent, origin: device.origin)
  }

  /// Who calls, as far as memory tells.
  package enum Authentication {
    case device(DeviceSession)
    /// The token is wrong or revoked.
    case refused
    /// The store has to be asked about the token.
    case unknown(Token)
  }

  /// Authenticates a call by its token. About 300 ns, with reading it.
  package func authenticate(_ token: Token, at now: WallTime) -> Authentication {
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
      state.withLock { state in
        state.notes.change(session.account.id) { $0.seen[session.address] = now }
      }
    }
    return .device(session)
  }

  /// Records what a device acknowledged and what it was sent. About 10 ns if neither is new.
  func note(told: UInt64?, acknowledged: UInt64?, of session: DeviceSession) {
    guard session.moves(told: told, acknowledged: acknowledged) else { return }
    // Read the position again: another response may have advanced it.
    state.withLock { state in
      state.notes.change(session.account.id) { $0.progress[session.address] = session.progress }
    }
  }

  /// Takes the data to write. Each note is returned once.
  ///
  /// - Parameter accounts: Only of these; nil: of all.
  func takeNotes(of accounts: Set<AccountID>? = nil) -> Notes {
    let taken = state.withLock { state in
      guard let accounts else { return state.notes.takeAll() }
      return accounts.compactMap { state.notes.take($0) }
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
        state.notes.change(device.account) { $0.seen[device] = time }
      }
      for (device, progress) in notes.progress
      where state.notes[device.account]?.progress[device] == nil {
        state.notes.change(device.account) { $0.progress[device] = progress }
      }
    }
  }

  /// At most `limit` accounts with data to write, those that wait for longest.
  func accountsWithNotes(limit: Int) -> [AccountID] {
    state.withLock { $0.notes.oldest(limit) }
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

  /// Revokes a device, after the commit.
  func revoke(_ replica: ReplicaID, at now: WallTime) {
    let session = state.withLock { state in
      // A read that began before may still end.
      if trust != nil { state.doubts.note(.device(replica), at: present) }
      return state.sessions.value(replica)
    }
    session?.revoke(at: now)
  }

  /// Removes an account, and revokes and removes its devices.
  ///
  /// - Parameter caller: The device that asked for it. Its calls stay open, for its answer. Call
  ///   `endCalls()` of it after that.
  /// - Returns: The number of devices.
  func remove(_ id: AccountID, at now: WallTime, answering caller: DeviceSession? = nil) -> Int {
    let devices = drop(id)
    // Calls in progress still hold the sessions.
    for device in devices {
      device.endAccess(at: now)
      if device !== caller { device.endCalls() }
    }
    return devices.count
  }

  /// Forgets an account that is being moved to another cell, and its devices. They keep their
  /// access: their streams end so that they call again, and whoever calls is looked up.
  func forgetMoving(_ id: AccountID) {
    // Calls in progress still hold the sessions. What they ask has to be asked of the store.
    for device in drop(id) {
      _ = device.account.doubt(unless: nil, at: present)
      device.endWatches(.moving)
    }
  }

  /// Removes an account and its devices from memory. What was read of them before is not learned.
  private func drop(_ id: AccountID) -> [DeviceSession] {
    state.withLock { state in
      if trust != nil { doubt(id, &state) }
      let devices = state.sessions.all.filter { $0.account.id == id }
      for device in devices { state.sessions.remove(device.replica) }
      state.accounts.remove(id)
      return devices
    }
  }

  private func doubt(_ id: AccountID, _ state: inout State) {
    state.doubts.note(.devices(id), at: present)
    state.doubts.note(.head(id), at: present)
  }

  /// The present, by which trust ends.
  private var present: Instant { trust?.now() ?? MonotonicClock.now() }

  /// Hears that another daemon committed something. News carry no truth: they end the trust in what
  /// was read before, and the store is asked.
  ///
  /// - Returns: The account to read at once, because a device of it listens or may have to go.
  func hear(_ news: StoreNews) -> AccountState? {
    state.withLock { state in
      let now = present
      switch news {
      case .head(let id, let head):
        state.doubts.note(.head(id), at: now)
        guard let account = state.accounts.value(id), account.doubt(unless: head, at: now),
          account.watchCount > 0
        else { return nil }
        return account
      case .revoked(let replica):
        return doubt(replica, at: now, &state)?.account
      case .renamed(let replica):
        _ = doubt(replica, at: now, &state)
        return nil
      case .removed(let id), .moving(let id):
        doubt(id, &state)
        // Anybody may notify: what is not known here costs nothing.
        guard let account = state.accounts.value(id) else { return nil }
        _ = account.doubt(unless: nil, at: now)
        for session in state.sessions.all where session.account.id == id { session.doubt() }
        return account
      case .pairing: return nil
      }
    }
  }

  private func doubt(
    _ replica: ReplicaID, at now: Instant, _ state: inout State
  ) -> DeviceSession? {
    state.doubts.note(.device(replica), at: now)
    let session = state.sessions.value(replica)
    session?.doubt()
    return session
  }

  /// Ends every Watch stream, because the server is stopping.
  func endWatches(_ status: Status) {
    for session in state.withLock({ $0.sessions.all }) { session.endWatches(status) }
  }
}
