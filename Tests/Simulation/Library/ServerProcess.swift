// SPDX-License-Identifier: Apache-2.0
// One run of the server: the real store, queue and services, without sockets.

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

  static let unknownDevice = Status(.unauthenticated, "This device has no access.")
  /// The identity of a foreign program.
  static let foreigner = ReplicaID(rawValue: 0xF0E1)

  private let world: World
  private let disk: SimulatedDisk
  /// The store, for inspection between commits.
  nonisolated(unsafe) let store: SQLiteStore
  private let registry: SessionRegistry
  private let queue: CommitQueue
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

  /// Opens the store on the disk, or creates it.
  init(
    _ world: World, disk: SimulatedDisk, chance: Chance, checkpointPages: Int, pageRecords: Int
  ) throws {
    self.world = world
    self.disk = disk
    housekeepingPeriod = (world.history.seed % 3 == 0 ? 1 : 12) * 3_600_000_000
    let randomness = Randomness(chance)
    let clock = world.serverClock
    let environment = Environment(now: { clock.now() }, random: { randomness.bytes($0) })
    self.environment = environment
    let store = try SQLiteStore(
      uri: disk.uri("atrest.db"), checkpointPages: checkpointPages,
      random: { randomness.number() })
    self.store = store
    let now = clock.now()
    let names = world.accounts.map(\.name)
    accountIDs = try store.transaction { transaction throws(StoreError) in
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
    let foreigner = DeviceEntry(
      replica: Self.foreigner, account: accountIDs[0], name: "foreign",
      tokenHash: [UInt8](repeating: 7, count: 32), paired: now)
    // A device without an acknowledged position prevents pruning for 30 days.
    if world.history.hasForeigner {
      _ = try store.transaction { transaction throws(StoreError) in
        try transaction.devices.add(foreigner)
      }
    }
    registry = SessionRegistry()
    try registry.load(store)
    let box = Box()
    nonisolated(unsafe) let handed = store
    nonisolated(unsafe) let guardian = DiskGuard(
      directory: "/nowhere", freeBytes: { box.process?.freeBytes })
    let scheduler = world.scheduler
    queue = CommitQueue(
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
    sync = SyncService(
      queue: queue, registry: registry, environment: environment, quota: world.quota,
      pageRecords: pageRecords)
    devices = DevicesService(
      queue: queue, registry: registry, environment: environment,
      logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() })
    admin = AdminService(
      queue: queue, backups: queue, registry: registry, devices: devices, environment: environment,
      address: { "server:1" })
    box.process = self
    keepHouse()
  }

  deinit { queue.abandon() }

  // MARK: Housekeeping

  private let housekeepingPeriod: Int64

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
    for account in accountIDs { doHousework(of: account, always: always) }
  }

  private func doHousework(of account: AccountID, always: Bool) {
    guard isRunning, always || !world.isHealing else { return }
    let job = Housework(account, environment) { [weak self] isMore in
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
    if isAlive, disk.hasEnded { failed() }
    return isAlive
  }

  // MARK: Requests of devices

  /// A device's position in the server's memory. Nil if the server does not know the device.
  func progress(of replica: ReplicaID) -> DeviceProgress? {
    registry.session(replica)?.progress
  }

  func authenticate(_ metadata: Metadata) -> Caller? {
    guard isRunning, let credentials = Credentials(metadata),
      case .device(let session) = registry.authenticate(credentials.token, at: environment.now())
    else { return nil }
    return session
  }

  /// Serves a call. The response may come later, or never if the process ends.
  func serve(
    _ path: String, _ caller: Caller?, _ body: [UInt8],
    _ reply: @escaping (UnaryOutcome) -> Void
  ) {
    guard isRunning else { return }
    endIdleness()
    nonisolated(unsafe) let reply = reply
    let later = Answer { [weak self] outcome, _ in
      if let self, isRunning { reply(outcome) }
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
      reply(outcome)
    } catch {
      reply(.fail(error))
    }
  }

  /// Opens a Watch stream and sends heartbeats.
  func watch(_ caller: Caller, _ body: [UInt8], _ sink: any EventSink) {
    guard isRunning else { return }
    do throws(Status) {
      if let watch = try sync.watch(caller, body, sink: sink) { keepAlive(watch) }
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
    guard isRunning, let caller = registry.session(Self.foreigner) else { return }
    isServingForeigner = true
    serve(Method.Sync.exchange, caller, request.encoded) { [weak self] outcome in
      guard let self else { return }
      isServingForeigner = false
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
    disk.end(how)
    for wire in wires { wire.serverDied() }
    wires = []
  }

  /// Breaks the reference from objects that outlive the process.
  private final class Box: @unchecked Sendable {
    weak var process: ServerProcess?
  }
}

/// Randomness for the code under test.
final class Randomness: @unchecked Sendable {
  // Sendable: a simulation has one thread.
  private var chance: Chance

  init(_ chance: Chance) { self.chance = chance }

  func number() -> UInt64 { chance.next() }
  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
  }
  func fraction() -> Double { Double.random(in: 0..<1, using: &chance) }
}
