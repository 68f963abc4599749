// SPDX-License-Identifier: Apache-2.0
// The Admin service: the operator's commands, on a socket that only the operator can open.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// Implements the Admin service. Every caller is the operator.
package final class AdminService: Sendable {
  let queue: any StorageQueue
  let registry: SessionRegistry
  private let devices: DevicesService
  let environment: Environment
  private let address: @Sendable () -> String
  private let backups: CommitQueue?
  private let isBackingUp = Atomic(false)

  /// Maximum number of entries in one list. More would not fit a message.
  private static let listLimit = 10_000

  /// - Parameters:
  ///   - backups: The queue of a store that this daemon copies. Nil: its engine has backups of its
  ///     own.
  ///   - address: Returns the server's public address as it appears in pairing links.
  package init(
    queue: any StorageQueue, backups: CommitQueue?, registry: SessionRegistry,
    devices: DevicesService, environment: Environment, address: @escaping @Sendable () -> String
  ) {
    self.backups = backups
    self.queue = queue
    self.registry = registry
    self.devices = devices
    self.environment = environment
    self.address = address
  }

  /// Creates an account and a pairing code for its first device.
  package func addAccount(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let name = try decoded(AccountRequest.self, bytes).name
    guard Name.isAllowed(name) else { throw .badName }
    let now = environment.now()
    let (address, servesApp) = (address, devices.servesApp)
    let registry = registry
    let codes = (0..<DevicesService.draws).map { _ in devices.drawCode() }
    try queue.perform(by: .server, use: .writes, answer: answer()) {
      batch throws(StoreError) -> (id: AccountID, code: PairingCode)? in
      guard let id = try batch.transaction.accounts.add(name: name, created: now) else {
        return nil
      }
      try batch.transaction.events.append([NewEvent(.accountMade, of: id, at: now)])
      for code in codes {
        let outcome = try Pairing.invite(code, to: id, at: now, in: batch.transaction)
        if case .made = outcome { return (id, code) }
      }
      throw .failed(reason: "no free handle for a pairing code")
    } reply: { made in
      guard let made else {
        return .fail(
          Status(.alreadyExists, "There is an account of this name already. Choose another name.")
            .because(.accountExists))
      }
      registry.add(account: made.id, name: name)
      return .reply(
        Invitation(
          code: made.code.text, expires: Pairing.expiry(from: now), address: address(),
          servesApp: servesApp
        ).packed)
    }
    return .later
  }

  /// Creates another pairing code for an account.
  package func inviteDevice(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let name = try decoded(AccountRequest.self, bytes).name
    let (address, servesApp) = (address, devices.servesApp)
    // The operator knows who gets the code, so it needs no approval.
    try devices.invite(by: nil, for: .server, needsApproval: false, answer: answer()) {
      batch throws(StoreError) in
      try batch.transaction.accounts.id(named: name)
    } missing: {
      .noAccount
    } reply: { code, expires in
      Invitation(code: code, expires: expires, address: address(), servesApp: servesApp).packed
    }
    return .later
  }

  /// Removes an account. Responds once neither the database nor its write-ahead log contains its
  /// values.
  package func removeAccount(
    _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let name = try decoded(AccountRequest.self, bytes).name
    try devices.removeAccount(by: nil, for: .owner, answer: answer()) { batch throws(StoreError) in
      guard let id = try batch.transaction.accounts.id(named: name) else {
        return .refused(.noAccount)
      }
      return .account(id)
    }
    return .later
  }

  package func listAccounts(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    try queue.perform(by: .server, use: .reads, answer: answer()) { batch throws(StoreError) in
      try batch.transaction.accounts.list()
    } reply: { accounts in
      guard accounts.count <= Self.listLimit else { return .fail(.listTooLong) }
      return .reply(
        ListAccountsResponse(
          accounts: accounts.map {
            .init(
              name: $0.name, created: $0.created, devices: $0.devices, records: $0.records,
              bytes: $0.bytes)
          }
        ).packed)
    }
    return .later
  }

  /// Lists the devices of one account or of all accounts.
  package func listDevices(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let name = try decoded(AccountRequest.self, bytes).name
    let registry = registry
    try queue.perform(by: .server, use: .reads, answer: answer()) {
      batch throws(StoreError) -> [(account: String, device: DeviceEntry)]? in
      let (accounts, devices) = (batch.transaction.accounts, batch.transaction.devices)
      guard name.isEmpty else {
        guard let id = try accounts.id(named: name) else { return nil }
        return try devices.list(of: id).map { (name, $0) }
      }
      let names = Dictionary(try accounts.list().map { ($0.id, $0.name) }) { first, _ in first }
      return try devices.list(of: nil).map { (names[$0.account] ?? "", $0) }
    } reply: { found in
      guard let found else { return .fail(.noAccount) }
      guard found.count <= Self.listLimit else { return .fail(.listTooLong) }
      let entries = found.map {
        ListDevicesResponse.Entry(
          account: $0.account, device: registry.shown($0.device, isCurrent: false))
      }
      return .reply(ListDevicesResponse(entries: entries).packed)
    }
    return .later
  }

  /// Revokes a device and, on request, all its descendants.
  package func revokeDevice(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let request = try decoded(DevicesRevokeRequest.self, bytes)
    try devices.revoke(request, by: nil, for: .owner, answer: answer()) { _, _ throws(StoreError) in
      true
    }
    return .later
  }

  /// Writes a copy of the store. One at a time.
  package func backup(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let path = try decoded(BackupRequest.self, bytes).path
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw Status(.invalidArgument, "A backup needs the absolute path of a file.")
        .because(.requestInvalid)
    }
    guard let backups else { throw .noBackups }
    guard !isBackingUp.exchange(true, ordering: .acquiringAndReleasing) else {
      throw Status(.resourceExhausted, "Another backup is under way. Wait for it.")
        .because(.backupRunning)
    }
    let later = answer()
    BackupTask(to: path) { [self] result in
      isBackingUp.store(false, ordering: .releasing)
      var answers = ResponseBatch()
      switch result {
      case .success(let copy):
        queue.note(NewEvent(.backupMade, of: nil, at: environment.now()))
        let response = BackupResponse(
          accounts: copy.accounts, devices: copy.devices, records: copy.records,
          sizeBytes: copy.sizeBytes)
        later(.reply(response.packed), &answers)
      case .failure(let error): later(.fail(Status(error)), &answers)
      }
      answers.deliver()
    }.start(on: backups)
    return .later
  }
}

extension Status {
  fileprivate init(_ error: BackupError) {
    let code: StatusCode =
      switch error {
      case .exists, .holdsStore: .alreadyExists
      case .cannotWrite, .cannotRead: .failedPrecondition
      case .full: .resourceExhausted
      case .damaged, .notABackup, .newerVersion, .unfinished, .changed, .notAChecksum,
        .checksumOfAnother:
        .dataLoss
      case .store, .interrupted: .unavailable
      }
    let reason = code == .alreadyExists ? ErrorReason.backupFileExists : .backupFailed
    self = Status(code, error.userMessage).because(reason)
  }

  fileprivate static let noBackups = Status(
    .failedPrecondition,
    "This server's store is PostgreSQL. Back it up with pg_basebackup or pg_dump."
  )
  .because(.backupUnsupported, retry: .useless)
  static let noAccount = Status(.notFound, "There is no account of this name.")
    .because(.accountNotFound)
  fileprivate static let listTooLong = Status(
    .resourceExhausted, "There are too many entries for one list. Name an account."
  )
  .because(.listTooLong, retry: .useless)
}
