// SPDX-License-Identifier: Apache-2.0
// Looks devices of a shared store up, where memory does not tell who calls.

import AtrestHTTP2
import AtrestReplication
import AtrestSockets

/// Looks devices up, and keeps what is known of those that listen. Thread-safe.
package final class DeviceLookup: Sendable {
  private let queue: any StorageQueue
  private let registry: SessionRegistry
  private let environment: Environment

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

  package init(queue: any StorageQueue, registry: SessionRegistry, environment: Environment) {
    self.queue = queue
    self.registry = registry
    self.environment = environment
  }

  /// Authenticates a call by the store.
  ///
  /// - Parameter done: Called once, on any thread. `StoreError` if the store cannot be asked:
  ///   `moving` while the account is on its way to another cell.
  package func authenticate(
    _ token: Token,
    _ done: @escaping @Sendable (Result<Outcome, StoreError>) -> Void
  ) {
    let start = environment.instant()
    let reads: StorageReads = { $0.devices.insert(token.replica) }
    let job = Operation(by: .unauthenticated, use: .reads, reads: reads) {
      batch throws(StoreError) -> Finding in
      let devices = batch.transaction.devices
      if let device = try devices.find(token.replica) {
        // What is behind a token is only read for whoever has it.
        guard Secret.areEqual(Secret.hash(token.secret), device.tokenHash) else { return .nobody }
        if let found = try Self.found(device, in: batch) { return .device(found) }
        // Its account is on its way here: until it is live, the other cell is right.
      }
      return try devices.destination(of: token.replica).map { .moved(to: $0) } ?? .nobody
    } completion: { [registry, environment] result, _ in
      done(
        result.map { finding in
          switch finding {
          case .nobody: return .refused
          case .moved(let cell): return .moved(to: cell)
          case .device(let found):
            let now = environment.now()
            guard
              let known = registry.learn(
                found.device, of: found.account, among: found.devices, at: start, now: now),
              case .device(let session) = registry.authenticate(token, as: known, at: now)
            else { return .refused }
            return .device(session)
          }
        })
    }
    if !queue.submit(job) { done(.failure(.unavailable(reason: "too many calls wait"))) }
  }

  private static func found(
    _ device: DeviceEntry, in batch: Batch
  ) throws(StoreError) -> Found? {
    guard let account = try batch.transaction.accounts.find(device.account) else { return nil }
    let devices = try batch.transaction.devices.list(of: device.account)
    return Found(device: device, account: account, devices: devices)
  }

  /// Reads again what is known of all accounts with open Watch streams: ends those of devices that
  /// have no access any more, and tells the others of commits that nobody told this daemon of.
  ///
  /// One small read for each account.
  package func refreshWatched() {
    for account in registry.accounts where account.watchCount > 0 { refresh(account) }
  }

  private func refresh(_ account: AccountState) {
    let start = environment.instant()
    let id = account.id
    let reads: StorageReads = {
      $0.accounts.insert(id)
      $0.deviceLists.insert(id)
    }
    let job = Operation(by: .account(id), use: .reads, reads: reads) { batch throws(StoreError) in
      (
        account: try batch.transaction.accounts.find(id),
        devices: try batch.transaction.devices.list(of: id)
      )
    } completion: { [registry, environment] result, _ in
      let found: (account: AccountEntry?, devices: [DeviceEntry])
      switch result {
      case .success(let answer): found = answer
      case .failure(.moving): return registry.forgetMoving(id)
      // A store that cannot be asked is asked again soon.
      case .failure: return
      }
      guard let entry = found.account else {
        _ = registry.remove(id, at: environment.now())
        return
      }
      let now = environment.now()
      if account.learn(entry.head, at: start) { account.announceHead(serverTime: now) }
      for device in found.devices where registry.session(device.replica)?.isWatching ?? false {
        _ = registry.learn(device, of: entry, among: found.devices, at: start, now: now)
      }
    }
    _ = queue.submit(job)
  }
}
