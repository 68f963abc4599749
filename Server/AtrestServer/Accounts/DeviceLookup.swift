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
  /// - Parameter done: Called once, on any thread. `StoreError` if the store cannot be asked.
  package func authenticate(
    _ token: Token,
    _ done: @escaping @Sendable (Result<SessionRegistry.Authentication, StoreError>) -> Void
  ) {
    let start = environment.instant()
    let reads: StorageReads = { $0.devices.insert(token.replica) }
    let job = Operation(by: .unauthenticated, use: .reads, reads: reads) {
      batch throws(StoreError) -> Found? in
      guard let device = try batch.transaction.devices.find(token.replica),
        // What is behind a token is only read for whoever has it.
        Secret.areEqual(Secret.hash(token.secret), device.tokenHash)
      else { return nil }
      return try Self.found(device, in: batch)
    } completion: { [registry, environment] result, _ in
      done(
        result.map { found in
          guard let found,
            let session = registry.learn(
              found.device, of: found.account, among: found.devices, at: start,
              now: environment.now())
          else { return .refused }
          return registry.authenticate(token, as: session, at: environment.now())
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
      // A store that cannot be asked is asked again soon.
      guard case .success(let found) = result else { return }
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
