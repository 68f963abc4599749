// SPDX-License-Identifier: Apache-2.0
// A server's storage without connections, whose commits a test can block and fail.

import AtrestHTTP2
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Dispatch
import Logging
import Synchronization
import Testing

@testable import AtrestServer

/// A queue on a store whose commits a test can block and fail.
final class Storage: Sendable {
  let folder: Folder
  let world = World()
  let registry = SessionRegistry()
  let queue: CommitQueue
  let sync: SyncService
  let devices: DevicesService
  let fatal = Recorder<StoreError>()
  private let faults: Faults

  final class Faults: Sendable {
    let onFlush = Mutex<(@Sendable () throws(StoreError) -> Void)?>(nil)
    let onCommit = Mutex<(@Sendable () throws(StoreError) -> Void)?>(nil)
  }

  init(
    _ folder: Folder? = nil, limits: JobQueue.Limits = JobQueue.Limits(),
    logger: Logger = quiet
  ) throws {
    let folder = try folder ?? Folder()
    self.folder = folder
    let faults = Faults()
    self.faults = faults
    let counter = Counter()
    var hooks = SQLiteStore.Hooks()
    hooks.beforeFlush = { () throws(StoreError) in try faults.onFlush.withLock { $0 }?() }
    hooks.beforeCommit = { () throws(StoreError) in try faults.onCommit.withLock { $0 }?() }
    hooks.committed = { counter.count.wrappingAdd(1, ordering: .relaxed) }
    let store = try openStore(folder, hooks: hooks)
    if try store.transaction({ t throws(StoreError) in try t.accounts.id(named: "kim") }) == nil {
      let kim = try store.makeAccount("kim")
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      try store.makeDevice(ReplicaID(rawValue: 3), try store.makeAccount("sam"))
    }
    try registry.load(store)
    let free = Free()
    let fatal = fatal
    let disk = DiskGuard(directory: folder.data) { free.bytes.withLock { $0 } }
    let reader = ReadQueue(
      reader: try store.openReader(), limits: limits, environment: world.environment,
      unreadable: UnreadableLog(logger), onFatal: { fatal.note($0) })
    queue = CommitQueue(
      store: store, readers: [reader], disk: disk, registry: registry,
      environment: world.environment,
      logger: logger, limits: limits, onFatal: { fatal.note($0) })
    sync = SyncService(queue: queue, registry: registry, environment: world.environment)
    devices = DevicesService(
      queue: queue, registry: registry, environment: world.environment, logger: quiet)
    self.counter = counter
    self.free = free
    counter.count.store(0, ordering: .relaxed)
  }

  final class Counter: Sendable { let count = Atomic<Int>(0) }
  final class Free: Sendable { let bytes = Mutex<UInt64?>(nil) }
  private let counter: Counter
  let free: Free

  /// The number of committed transactions that wrote.
  var commitCount: Int { counter.count.load(ordering: .relaxed) }

  func failFlush(_ fault: (@Sendable () throws(StoreError) -> Void)?) {
    faults.onFlush.withLock { $0 = fault }
  }

  func failCommit(_ fault: (@Sendable () throws(StoreError) -> Void)?) {
    faults.onCommit.withLock { $0 = fault }
  }

  func session(_ replica: ReplicaID) throws -> DeviceSession {
    try #require(registry.session(replica))
  }

  func exchange(_ replica: ReplicaID, _ request: ExchangeRequest) async throws -> ExchangeResponse {
    let session = try session(replica)
    let outcome = await outcome { later throws(Status) in
      try sync.exchange(session, request.encoded, answerLater: later)
    }
    return try ExchangeResponse(decoding: try outcome.reply)
  }

  /// Runs `body` while the storage queue is inside a commit.
  func whileCommitting<R>(_ body: () async throws -> R) async throws -> R {
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    failCommit {
      entered.note(())
      release.wait()
    }
    async let blocker = exchange(phone, request(nil, water(1_000_000)))
    try await entered.next()
    failCommit(nil)
    let result: R
    do { result = try await body() } catch {
      release.signal()
      throw error
    }
    release.signal()
    _ = try await blocker
    return result
  }

  /// Runs `body` while both reads and commits are blocked.
  func whileBusy<R>(_ body: () async throws -> R) async throws -> R {
    try await whileReading { try await whileCommitting(body) }
  }

  /// Runs `body` while the read queue is inside a read.
  func whileReading<R>(_ body: () async throws -> R) async throws -> R {
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    let account = try session(phone).account.id
    let blocker = Operation(by: .account(account), use: .reads) { batch throws(StoreError) in
      // The snapshot begins with the first read.
      _ = try batch.feed(of: account)
      entered.note(())
      release.wait()
    } completion: { _, _ in
    }
    try #require(queue.submit(blocker))
    try await entered.next()
    defer { release.signal() }
    return try await body()
  }

  /// A cell with this storage's services, which verifies no purchases.
  func cell(accounts: AccountsService) -> Cell {
    Cell(
      Backend(
        cell: .sole, queue: queue, registry: registry, lastWritten: .epoch, backups: queue,
        shared: nil, diskFreeBytes: { nil }),
      sync: sync, devices: devices, accounts: accounts,
      entitlements: EntitlementsService(
        queue: queue, gate: nil, environment: world.environment, logger: quiet),
      admin: AdminService(
        queue: queue, backups: queue, registry: registry, devices: devices,
        environment: world.environment, address: { "" }))
  }
}
