// SPDX-License-Identifier: Apache-2.0
// A store with the services on it: accounts live in one cell each.

import AtrestRPC

/// One of a server's stores, with its services. A server without numbered cells has a sole one.
final class Cell: Sendable {
  let backend: Backend
  let sync: SyncService
  let devices: DevicesService
  let accounts: AccountsService
  let entitlements: EntitlementsService
  let admin: AdminService

  var number: CellNumber { backend.cell }
  var registry: SessionRegistry { backend.registry }

  /// - Parameters:
  ///   - clock: Whether the server's clock can be relied on.
  ///   - address: Returns the server's public address as it appears in pairing links.
  init(
    _ backend: Backend, _ configuration: Server.Configuration, clock: ClockMonitor,
    address: @escaping @Sendable () -> String
  ) {
    self.backend = backend
    let (queue, registry) = (backend.queue, backend.registry)
    let environment = configuration.environment
    let logger = Backend.logger(of: backend.cell, configuration)
    let quota = configuration.limits.quota
    let gate = configuration.purchases.map { PurchaseGate(policy: $0, environment: environment) }
    sync = SyncService(
      queue: queue, registry: registry, environment: environment, gate: gate, quota: quota,
      clock: clock)
    entitlements = EntitlementsService(
      queue: queue, gate: gate, quota: quota, environment: environment, logger: logger)
    devices = DevicesService(
      cell: backend.cell, queue: queue, registry: registry, environment: environment,
      logger: logger, servesApp: configuration.site != nil)
    accounts = AccountsService(
      queue: queue, devices: devices, quota: quota,
      messageBytes: configuration.limits.transport.maxMessageBytes)
    admin = AdminService(
      queue: queue, backups: backend.backups, registry: registry, devices: devices,
      environment: environment, address: address)
  }

  init(
    _ backend: Backend, sync: SyncService, devices: DevicesService, accounts: AccountsService,
    entitlements: EntitlementsService, admin: AdminService
  ) {
    self.backend = backend
    self.sync = sync
    self.devices = devices
    self.accounts = accounts
    self.entitlements = entitlements
    self.admin = admin
  }

  /// Begins to hear other servers of the store.
  ///
  /// - Parameter onChange: Called when `Backend.isUsable` may have changed.
  func start(onChange: @escaping @Sendable () -> Void) async {
    await backend.shared?.start(hear: { [devices] in devices.hear($0) }, onChange: onChange)
  }

  /// Works in the background until the task is cancelled.
  ///
  /// - Parameter onChange: Called when `Backend.isUsable` has changed.
  func work(
    _ clock: ClockMonitor, _ environment: Environment, onChange: @escaping @Sendable () -> Void
  ) async {
    let keeper = Housekeeper(
      queue: backend.queue, registry: registry, environment: environment, clock: clock,
      claim: backend.shared?.claim)
    guard let shared = backend.shared else { return await keeper.work() }
    async let watched: Void = shared.keepWatched(onChange: onChange)
    await keeper.work()
    await watched
  }

  /// Ends every stream and every call that waits, because the server is stopping.
  func endStreams() {
    sync.endWatches()
    devices.endPendingPairings()
  }
}
