// SPDX-License-Identifier: Apache-2.0
// One run of a server: the real store, queue and services, without sockets.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestServer
import AtrestWire
import Logging

/// An authenticated caller.
typealias Caller = DeviceSession

/// The server from one start to its end.
final class ServerProcess: @unchecked Sendable {
  // Sendable: a simulation has one thread.

  /// The identity of a foreign program.
  static let foreigner = ReplicaID(rawValue: 0xF0E1)

  /// What keeps the records.
  enum Storage {
    case file(Opened, CommitQueue, SimulatedDisk)
    case shared(SharedDatabase, SharedQueue, DeviceLookup)
  }

  let world: World
  let storage: Storage
  private let registry: SessionRegistry
  private let queue: any StorageQueue
  /// Its number among the servers of a shared database.
  let node: Int
  private let sync: SyncService
  private let devices: DevicesService
  private let admin: AdminService
  private let environment: Environment
  /// The accounts' numbers, in the order of `World.accounts`.
  private let accountIDs: [AccountID]
  /// The heads in memory at the last inspection.
  private var lookedHeads: [AtrestReplication.Cursor] = []
  /// The connections to this server.
  var wires: [Wire] = []
  private(set) var isAlive = true
  /// Whether a foreign request is in progress. Like any single program, it writes sequentially.
  private(set) var isServingForeigner = false
  /// The greatest head that this server read and gave away, of each account of a shared database,
  /// and in which of its histories.
  var given: [AccountID: (head: UInt64, histories: Int)] = [:]

  private init(
    _ world: World, _ storage: Storage, node: Int, _ registry: SessionRegistry,
    _ environment: Environment, accountIDs: [AccountID], pageRecords: Int
  ) {
    self.world = world
    self.storage = storage
    self.node = node
    self.registry = registry
    self.environment = environment
    self.accountIDs = accountIDs
    housekeepingPeriod = (world.history.seed % 3 == 0 ? 1 : 12) * 3_600_000_000
    let logger = Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() }
    let backups: CommitQueue?
    switch storage {
    case .file(_, let commits, _): (queue, backups) = (commits, commits)
    case .shared(_, let shared, _): (queue, backups) = (shared, nil)
    }
    sync = SyncService(
      queue: queue, registry: registry, environment: environment, quota: world.quota,
      limits: ExchangeLimits(simulated: pageRecords), sizes: ComparisonSizes(simulated: pageRecords)
    )
    devices = DevicesService(
      queue: queue, registry: registry, environment: environment, logger: logger)
    admin = AdminService(
      queue: queue, backups: backups, registry: registry, devices: devices,
      environment: environment, address: { "server:1" })
  }

  /// Opens the store on the disk, or creates it.
  convenience init(
    _ world: World, disk: SimulatedDisk, chance: Chance, checkpointPages: Int, pageRecords: Int
  ) throws {
    let randomness = Randomness(chance)
    let clock = world.serverClock
    var environment = Environment(
      now: { clock.now() }, random: { randomness.bytes($0) },
      uptime: { clock.uptimeMilliseconds() ?? 0 })
    let store = try SQLiteStore(
      uri: disk.uri("atrest.db"), checkpointPages: checkpointPages,
      random: { randomness.number() })
    let opened = Opened(store)
    environment.retention = RetentionClock(store.clock, environment)
    let now = clock.now()
    let names = world.accounts.map(\.name)
    let accountIDs = try store.transaction { transaction throws(StoreError) in
      var ids: [AccountID] = []
      for name in names {
        if let id = try transaction.accounts.id(named: name) {
          ids.append(id)
        } else if let id = try transaction.accounts.add(name: name, created: now) {
          ids.append(id)
        } else {
          throw .failed(reason: "no account")
        }
      }
      return ids
    }
    let foreigner = Self.foreigner(of: accountIDs[0], at: now)
    // A device without an acknowledged position prevents pruning for 30 days.
    if world.history.hasForeigner {
      _ = try store.transaction { transaction throws(StoreError) in
        try transaction.devices.add(foreigner)
      }
    }
    let registry = SessionRegistry()
    try registry.load(store)
    let box = Box()
    nonisolated(unsafe) let handed = store
    nonisolated(unsafe) let guardian = DiskGuard(
      directory: "/nowhere", freeBytes: { box.process?.freeBytes })
    let scheduler = world.scheduler
    let queue = CommitQueue(
      store: handed, disk: guardian, registry: registry, environment: environment,
      logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() },
      schedule: { work in
        // Sometimes long enough for several requests to share a commit.
        scheduler.after(Int64(randomness.number() % 20_000)) {
          guard let process = box.process, process.isRunning else { return }
          work()
          process.look()
        }
      },
      onFatal: { _ in box.process?.failed() })
    self.init(
      world, .file(opened, queue, disk), node: 0, registry, environment, accountIDs: accountIDs,
      pageRecords: pageRecords)
    monitor = ClockMonitor(
      environment: environment, registries: [registry],
      lastWritten: now, logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() })
    box.process = self
    keepHouse()
  }

  /// Starts one of several servers of a database.
  convenience init(
    _ world: World, sharing database: SharedDatabase, node: Int, chance: Chance, pageRecords: Int
  ) {
    let randomness = Randomness(chance)
    let clock = world.serverClock
    let now: @Sendable () -> Instant = { world.instant }
    let environment = Environment(
      now: { clock.now() }, random: { randomness.bytes($0) }, instant: now)
    let box = Box()
    let news = SharedNews(database, node: node) { news in
      guard let process = box.process, process.isRunning else { return }
      for item in news { process.hear(item) }
    } onListening: {
      // Whatever was committed while nobody listened.
      if let process = box.process, process.isRunning { process.refreshWatched() }
    }
    nonisolated(unsafe) let listener = news
    let registry = SessionRegistry(
      trust: CacheTrust(lifetime: CacheTrust.lifetime, now: now) {
        listener.listeningSince.map { Instant(nanoseconds: UInt64($0) * 1000) }
      })
    let queue = SharedQueue(
      database, node: node, news: news, registry: registry, environment: environment)
    let lookup = DeviceLookup(queue: queue, registry: registry, environment: environment)
    self.init(
      world, .shared(database, queue, lookup), node: node, registry, environment,
      accountIDs: world.accounts.map { AccountID(rawValue: Int64($0.index) + 1) },
      pageRecords: pageRecords)
    box.process = self
    news.connect()
    keepHouse()
  }

  deinit {
    switch storage {
    case .file(_, let queue, _): queue.abandon()
    case .shared(_, let queue, _): queue.lanes.abandon()
    }
  }

  static func foreigner(of account: AccountID, at now: WallTime) -> DeviceEntry {
    DeviceEntry(
      replica: foreigner, account: account, name: "foreign",
      tokenHash: [UInt8](repeating: 7, count: 32), paired: now)
  }

  /// What the server hears and tells of a shared database.
  var news: SharedNews? {
    if case .shared(_, let queue, _) = storage { queue.news } else { nil }
  }

  private func refreshWatched() {
    if case .shared(_, _, let lookup) = storage { lookup.refreshWatched() }
  }

  /// Runs a transaction on the file, for inspection between commits.
  func inspect<R>(_ body: (any StoreTransaction) throws(StoreError) -> R) throws -> R {
    guard case .file(let opened, _, _) = storage else { throw StoreError.closed }
    return try opened.store.transaction(body)
  }

  // MARK: Housekeeping

  private let housekeepingPeriod: Int64
  /// Nil for one of several servers: their database has a clock.
  private var monitor: ClockMonitor?

  /// Rounds since the last request. Idle rounds have increasing intervals, because little becomes
  /// due.
  private var idleRounds: Int64 = 0
  private var round = 0

  /// Runs housekeeping at the start and then periodically.
  private func keepHouse() {
    doHousework()
    scheduleRound()
  }

  private func scheduleRound() {
    round += 1
    let number = round
    let wait = min(housekeepingPeriod << min(idleRounds, 10), 5 * 86_400_000_000)
    world.scheduler.after(wait) { [weak self] in
      guard let self, isRunning, round == number else { return }
      idleRounds += 1
      keepHouse()
    }
  }

  /// Schedules the next round in time, because of a request.
  private func endIdleness() {
    guard idleRounds > 1 else { return }
    idleRounds = 0
    scheduleRound()
  }

  /// Runs housekeeping, except while the world is healing: it would never come to rest.
  func doHousework(always: Bool = false) {
    guard isRunning, always || !world.isHealing else { return }
    monitor?.check()
    for account in accountIDs { doHousework(of: account, always: always) }
  }

  private func doHousework(of account: AccountID, always: Bool) {
    guard isRunning, always || !world.isHealing else { return }
    let job = Housework(account) { [weak self] isMore in
      if isMore { self?.doHousework(of: account, always: always) }
    }
    _ = queue.submit(job)
  }

  /// Shows each commit to the world, so that it sees what replaced what.
  private func look() {
    let heads = accountIDs.map { registry.account($0)?.head ?? .start }
    guard heads != lookedHeads, isRunning else { return }
    lookedHeads = heads
    world.look()
  }

  func id(of account: Account) -> AccountID { accountIDs[account.index] }

  /// The free disk space that the system reports.
  var freeBytes: UInt64?

  private var isRunning: Bool {
    if case .file(_, _, let disk) = storage, isAlive, disk.hasEnded { failed() }
    return isAlive
  }

  // MARK: Requests of devices

  /// A device's position in the server's memory. Nil if the server does not know the device.
  func progress(of replica: ReplicaID) -> DeviceProgress? {
    registry.session(replica)?.progress
  }

  /// Hears that another server committed something.
  private func hear(_ news: StoreNews) {
    if case .shared(_, _, let lookup) = storage { lookup.hear(news) }
  }

  /// Finds out who calls: now, or once the database was asked.
  func authenticate(
    _ metadata: Metadata, _ done: @escaping (Result<Caller, Status>) -> Void
  ) {
    guard isRunning else { return }
    guard let credentials = Credentials(metadata) else {
      return done(.failure(.unknownDevice))
    }
    switch registry.authenticate(credentials.token, at: environment.now()) {
    case .device(let session): done(.success(session))
    case .refused: done(.failure(.unknownDevice))
    case .unknown(let token):
      guard case .shared(_, _, let lookup) = storage else {
        return done(.failure(.unknownDevice))
      }
      nonisolated(unsafe) let done = done
      lookup.authenticate(token) { [weak self] result in
        guard let self, isRunning else { return }
        switch result {
        case .success(.device(let session)): done(.success(session))
        case .success: done(.failure(.unknownDevice))
        case .failure: done(.failure(Status(.unavailable, "The database is away.")))
        }
      }
    }
  }

  /// Serves a call. The response may come later, or never if the process ends.
  func serve(
    _ path: String, _ caller: Caller?, _ body: [UInt8],
    _ reply: @escaping (UnaryOutcome) -> Void
  ) {
    guard isRunning else { return }
    endIdleness()
    nonisolated(unsafe) let reply = reply
    let asked = Asked(path: path, caller: caller, body: body, histories: histories)
    let later = Answer { [weak self] outcome, _ in
      guard let self, isRunning else { return }
      check(outcome, of: asked, isFromMemory: false)
      reply(outcome)
    }
    do throws(Status) {
      let outcome: UnaryOutcome
      switch (path, caller) {
      case (Method.Sync.exchange, let caller?):
        outcome = try sync.exchange(caller, body) { later }
      case (Method.Sync.reconcile, let caller?):
        outcome = try sync.reconcile(caller, body) { later }
      case (Method.Devices.renew, let caller?):
        outcome = try devices.renew(caller, body) { later }
      case (Method.Devices.pair, _): outcome = try devices.pair(body) { later }
      default: outcome = .fail(Status(.unimplemented, "no such method"))
      }
      if case .later = outcome { return }
      check(outcome, of: asked, isFromMemory: true)
      reply(outcome)
    } catch {
      reply(.fail(error))
    }
  }

  /// Opens a Watch stream and sends heartbeats.
  func watch(_ caller: Caller, _ body: [UInt8], _ sink: any EventSink) {
    guard isRunning else { return }
    do throws(Status) {
      guard let watch = try sync.watch(caller, body, sink: sink) else { return }
      keepAlive(watch)
      keepTrue(watch)
    } catch {
      sink.finish(error)
    }
  }

  private func keepAlive(_ watch: Watch) {
    world.scheduler.after(30_000_000) { [weak self, weak watch] in
      guard let self, isRunning, let watch, watch.isOpen else { return }
      watch.sendHeartbeat(at: environment.now())
      keepAlive(watch)
    }
  }

  /// Reads again what a listening device relies on, as `PostgresBackend.keepWatched` does.
  private func keepTrue(_ watch: Watch) {
    guard case .shared = storage else { return }
    // While it is heard. While it is not, streams are read more often: that only does more.
    let interval = PostgresBackend.refreshInterval(isListening: true)
    world.scheduler.after(interval.components.seconds * 1_000_000) { [weak self, weak watch] in
      guard let self, isRunning, let watch, watch.isOpen else { return }
      refreshWatched()
      keepTrue(watch)
    }
  }

  /// Creates a pairing code as the operator.
  func invite(to account: Account, _ reply: @escaping (String?) -> Void) {
    guard isRunning else { return reply(nil) }
    nonisolated(unsafe) let reply = reply
    let answer = Answer { [weak self] outcome, _ in
      guard let self, isRunning, case .reply(let bytes) = outcome else { return reply(nil) }
      reply(try? Invitation(unpacking: bytes).code)
    }
    do throws(Status) {
      _ = try admin.inviteDevice(AccountRequest(name: account.name).packed) { answer }
    } catch {
      reply(nil)
    }
  }

  /// An exchange of a foreign program.
  func exchangeForeign(_ request: ExchangeRequest, _ durable: @escaping () -> Void) {
    guard isRunning, let caller = foreignCaller else { return }
    isServingForeigner = true
    world.foreignerIsBusy(for: 60_000_000)
    serve(Method.Sync.exchange, caller, request.encoded) { [weak self] outcome in
      guard let self else { return }
      isServingForeigner = false
      if case .reply = outcome { world.foreignerIsBusy(for: 0) }
      guard case .reply(let bytes) = outcome,
        let answer = try? ExchangeResponse(decoding: bytes), answer.refusals.isEmpty
      else { return }
      for bytes in request.offers {
        if let offer = try? Offer(decoding: bytes) {
          world.accounts[0].acknowledged.note(offer.record)
        }
      }
      durable()
    }
  }

  private var foreignCaller: Caller? {
    guard case .shared(let database, _, _) = storage else {
      return registry.session(Self.foreigner)
    }
    guard let device = database.tables.devices[Self.foreigner]?.entry,
      let account = database.tables.entry(of: device.account)
    else { return nil }
    let learned = registry.learn(
      device, of: account, among: database.tables.devices(of: account.id),
      at: environment.instant(), now: environment.now())
    return if case .device(let session) = learned { session } else { nil }
  }

  // MARK: The end of the process

  /// Handles a storage failure or the end of the machine. Production ends the process here.
  private func failed() {
    guard isAlive else { return }
    end(.killed)
    world.serverFailed()
  }

  /// Ends the process and its machine.
  func end(_ how: SimulatedDisk.End) {
    guard isAlive else { return }
    isAlive = false
    switch storage {
    case .file(_, _, let disk): disk.end(how)
    case .shared(let database, let queue, _):
      queue.news.stop()
      database.loseAll(of: node)
    }
    for wire in wires { wire.serverDied() }
    wires = []
  }

  /// The store, for inspection between commits.
  final class Opened: @unchecked Sendable {
    // Sendable: a simulation has one thread.
    let store: SQLiteStore

    init(_ store: SQLiteStore) { self.store = store }
  }

  /// Breaks the reference from objects that outlive the process.
  private final class Box: @unchecked Sendable {
    weak var process: ServerProcess?
  }
}
