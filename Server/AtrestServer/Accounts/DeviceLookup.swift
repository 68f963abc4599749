// SPDX-License-Identifier: Apache-2.0
// Looks devices of a shared store up, where memory does not tell who calls.

import AtrestHTTP2
import AtrestReplication
import Synchronization

/// Looks devices up, and keeps what is known of those that listen. Thread-safe.
package final class DeviceLookup: Sendable {
  private let queue: any StorageQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let clock: @Sendable () -> Instant
  private let state = Mutex(State())

  private struct State {
    /// Accounts that are being read, and whether something was heard of them meanwhile.
    var refreshing: [AccountID: Bool] = [:]
    /// Lookups under way for tokens that nobody has proved, by address.
    var unproved: [[UInt8]: Int] = [:]
    var refused = RefusedTokens()
  }

  /// Lookups of unproved tokens that one address may have under way.
  static let lookupsPerAddress = 1024
  /// How often a device is read again because it was heard of meanwhile.
  private static let readings = 3

  /// Who has a token.
  package enum Outcome: Sendable {
    case device(DeviceSession)
    /// Nobody, or a device without access.
    case refused
    /// Another cell knows: the account went there. The token itself was not compared with anything.
    case moved(to: CellNumber)
  }

  private enum Finding: Sendable {
    case device(Found)
    case nobody
    case moved(to: CellNumber)
  }

  /// What the store holds of a device.
  private struct Found: Sendable {
    let device: DeviceEntry
    let account: AccountEntry
    let devices: [DeviceEntry]
  }

  /// - Parameter clock: How long refusals are remembered. Nil: the environment's.
  package init(
    queue: any StorageQueue, registry: SessionRegistry, environment: Environment,
    clock: (@Sendable () -> Instant)? = nil
  ) {
    self.queue = queue
    self.registry = registry
    self.environment = environment
    self.clock = clock ?? environment.instant
  }

  /// Authenticates a call by the store.
  ///
  /// A device whose token is known here pays for its lookup itself: it never waits behind tokens
  /// that somebody made up. Those take turns by address.
  ///
  /// - Parameters:
  ///   - peer: Identifies the caller's address; nil: it says nothing. See
  ///     `AttemptLimiter.keys(of:)`.
  ///   - done: Called once, on any thread. `StoreError` if the store cannot be asked: `moving`
  ///     while the account is on its way to another cell.
  package func authenticate(
    _ token: Token, from peer: [UInt8]? = nil,
    _ done: @escaping @Sendable (Result<Outcome, StoreError>) -> Void
  ) {
    if let session = registry.session(token.replica), session.accepts(token.secret) {
      return authenticate(token, by: .device(session), done)
    }
    let isRefused = state.withLock { $0.refused.contains(token, at: clock()) }
    guard !isRefused else { return done(.success(.refused)) }
    let payer = Payer.unauthenticated(from: peer)
    guard let peer else { return authenticate(token, by: payer, done) }
    let isAdmitted = state.withLock { state in
      guard state.unproved[peer, default: 0] < Self.lookupsPerAddress else { return false }
      state.unproved[peer, default: 0] += 1
      return true
    }
    guard isAdmitted else { return done(.failure(.unavailable(reason: "too many calls wait"))) }
    authenticate(token, by: payer) { [self] result in
      state.withLock { state in
        let left = state.unproved[peer, default: 1] - 1
        state.unproved[peer] = left > 0 ? left : nil
      }
      done(result)
    }
  }

  private func authenticate(
    _ token: Token, by payer: Payer, readings: Int = DeviceLookup.readings,
    _ done: @escaping @Sendable (Result<Outcome, StoreError>) -> Void
  ) {
    let start = environment.instant()
    let reads: StorageReads = { $0.devices.insert(token.replica) }
    let job = Operation(by: payer, use: .reads, reads: reads) {
      batch throws(StoreError) -> Finding in
      let devices = batch.transaction.devices
      if let device = try devices.find(token.replica) {
        // What is behind a token is only read for whoever has it.
        guard Secret.areEqual(Secret.hash(token.secret), device.tokenHash) else { return .nobody }
        if let found = try Self.found(device, in: batch) { return .device(found) }
        // Its account is on its way here: until it is live, the other cell is right.
      }
      return try devices.destination(of: token.replica).map { .moved(to: $0) } ?? .nobody
    } completion: { [self] result, _ in
      switch result {
      case .success(.device(let found)): learn(found, token, by: payer, readings, start, done)
      case .success(.moved(let cell)): done(.success(.moved(to: cell)))
      case .success(.nobody): refuse(token, done)
      case .failure(let error): done(.failure(error))
      }
    }
    if !queue.submit(job) { done(.failure(.unavailable(reason: "too many calls wait"))) }
  }

  private func learn(
    _ found: Found, _ token: Token, by payer: Payer, _ readings: Int, _ start: Instant,
    _ done: @escaping @Sendable (Result<Outcome, StoreError>) -> Void
  ) {
    let now = environment.now()
    let learned = registry.learn(
      found.device, of: found.account, among: found.devices, at: start, now: now)
    switch learned {
    case .device(let known):
      guard case .device(let session) = registry.authenticate(token, as: known, at: now) else {
        return done(.success(.refused))
      }
      done(.success(.device(session)))
    case .noAccess: refuse(token, done)
    case .outdated where readings > 1:
      authenticate(token, by: payer, readings: readings - 1, done)
    case .outdated: done(.failure(.unavailable(reason: "the device changes all the time")))
    }
  }

  private func refuse(
    _ token: Token, _ done: @escaping @Sendable (Result<Outcome, StoreError>) -> Void
  ) {
    state.withLock { $0.refused.note(token, at: clock()) }
    done(.success(.refused))
  }

  private static func found(
    _ device: DeviceEntry, in batch: Batch
  ) throws(StoreError) -> Found? {
    guard let account = try batch.transaction.accounts.find(device.account) else { return nil }
    let devices = try batch.transaction.devices.list(of: device.account)
    return Found(device: device, account: account, devices: devices)
  }

  /// Hears that another daemon committed something, and reads what it may have changed: access
  /// ends, and streams are told, by what the store says.
  package func hear(_ news: StoreNews) {
    if let account = registry.hear(news) { refresh(account, isNews: true) }
  }

  /// Reads again what is known of all accounts with open Watch streams: ends those of devices that
  /// have no access any more, and tells the others of commits that nobody told this daemon of.
  ///
  /// One small read for each account, and one at a time.
  package func refreshWatched() {
    for account in registry.accounts where account.watchCount > 0 {
      refresh(account, isNews: false)
    }
  }

  /// - Parameter isNews: Whether a read that is under way may have begun too early.
  private func refresh(_ account: AccountState, isNews: Bool) {
    let id = account.id
    let isFirst = state.withLock { state in
      let isUnderWay = state.refreshing[id] != nil
      state.refreshing[id] = isUnderWay && (isNews || state.refreshing[id] ?? false)
      return !isUnderWay
    }
    guard isFirst else { return }
    let start = environment.instant()
    let reads: StorageReads = {
      $0.accounts.insert(id)
      $0.deviceLists.insert(id)
    }
    let job = Operation(by: .account(id), use: .reads, reads: reads) { batch throws(StoreError) in
      (
        account: try batch.transaction.accounts.find(id),
        devices: try batch.transaction.devices.list(of: id)
      )
    } completion: { [self] result, _ in
      switch result {
      case .success(let found): learn(found, of: account, at: start)
      case .failure(.moving): registry.forgetMoving(id)
      // A store that cannot be asked is asked again soon.
      case .failure: break
      }
      let isOutdated = state.withLock { $0.refreshing.removeValue(forKey: id) ?? false }
      if isOutdated { refresh(account, isNews: false) }
    }
    if !queue.submit(job) { state.withLock { _ = $0.refreshing.removeValue(forKey: id) } }
  }

  private func learn(
    _ found: (account: AccountEntry?, devices: [DeviceEntry]), of account: AccountState,
    at start: Instant
  ) {
    let now = environment.now()
    guard let entry = found.account else {
      _ = registry.remove(account.id, at: now)
      return
    }
    if account.learn(entry.head, at: start) { account.announceHead(serverTime: now) }
    for device in found.devices where registry.session(device.replica) != nil {
      _ = registry.learn(device, of: entry, among: found.devices, at: start, now: now)
    }
  }
}
