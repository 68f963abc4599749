// SPDX-License-Identifier: Apache-2.0
// One run of the server: the real store, queue and services, without sockets.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestServer
import Logging

/// Whose call it is, once its token was found right.
typealias Caller = DeviceSession

/// The server from one start to its end.
final class ServerProcess: @unchecked Sendable {
  // Sendable because a simulation has one thread.

  static let unknownDevice = Status(.unauthenticated, "This device has no access.")
  /// The identity of a program that is not ours.
  static let foreigner = ReplicaID(rawValue: 0xF0E1)

  private let world: World
  private let disk: SimulatedDisk
  /// The store itself, for looking at it between two commits.
  nonisolated(unsafe) let store: SQLiteStore
  private let registry: SessionRegistry
  private let queue: CommitQueue
  private let sync: SyncService
  private let devices: DevicesService
  private let admin: AdminService
  private let environment: Environment
  /// The accounts' numbers, in the order of `World.accounts`.
  private let accountIDs: [AccountID]
  /// The heads in memory when the world last looked.
  private var lookedHeads: [AtrestProtocol.Cursor] = []
  /// Connections that were made to it.
  var wires: [Wire] = []
  private(set) var isAlive = true
  /// Its writes come one after another, as any one program's do.
  private(set) var isServingForeigner = false

  /// Opens what is on the disk, or makes it.
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
    // A device that never says where it stands keeps the server from pruning anything for 30
    // days.
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
        // Now and then long enough for several requests to share a commit.
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
      queue: queue, registry: registry, devices: devices, environment: environment,
      address: { "server:1" })
    box.process = self
    keepHouse()
  }

  // MARK: Housekeeping

  private let housekeepingPeriod: Int64

  /// Rounds since somebody asked for something: these wait ever longer for each other, as little
  /// can become due.
  private var idleRounds: Int64 = 0
  private var round = 0

  /// Does what is due, at the start and then over and over.
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

  /// Somebody asked for something: the next round comes in time.
  private func endIdleness() {
    guard idleRounds > 1 else { return }
    idleRounds = 0
    scheduleRound()
  }

  /// Does what is due, unless the world is being made well: then it would never come to rest.
  func doHousework(always: Bool = false) {
    guard isRunning, always || !world.isHealing else { return }
    for account in accountIDs { doHousework(of: account, always: always) }
  }

  private func doHousework(of account: AccountID, always: Bool) {
    guard isRunning, always || !world.isHealing else { return }
    let job = Housework(account, environment) { [self] isMore in
      if isMore { doHousework(of: account, always: always) }
    }
    _ = queue.submit(job)
  }

  /// Shows the world what was committed: each commit, so that it sees what took the place of what.
  private func look() {
    let heads = accountIDs.map { registry.account($0)?.head ?? .start }
    guard heads != lookedHeads, isRunning else { return }
    lookedHeads = heads
    world.look()
  }

  func id(of account: Account) -> AccountID { accountIDs[account.index] }

  /// What the system says of the room on the disk.
  var freeBytes: UInt64?

  private var isRunning: Bool {
    if isAlive, disk.hasEnded { failed() }
    return isAlive
  }

  // MARK: What devices ask

  /// Where a device is, as the server has it in memory; nil if it knows no such device.
  func progress(of replica: ReplicaID) -> DeviceProgress? {
    registry.session(replica)?.progress
  }

  func authenticate(_ metadata: Metadata) -> Caller? {
    isRunning ? registry.authenticate(metadata, at: environment.now()) : nil
  }

  /// Serves a call; the answer may come later, or never if the process ends.
  func serve(
    _ path: String, _ caller: Caller?, _ body: [UInt8],
    _ reply: @escaping (UnaryOutcome) -> Void
  ) {
    guard isRunning else { return }
    endIdleness()
    nonisolated(unsafe) let reply = reply
    let later = Answer { [self] outcome, _ in
      if isRunning { reply(outcome) }
    }
    do throws(Status) {
      let outcome: UnaryOutcome
      switch (path, caller) {
      case (Method.exchange, let caller?):
        outcome = try sync.exchange(caller, body) { later }
      case (Method.reconcile, let caller?):
        outcome = try sync.reconcile(caller, body) { later }
      case (Method.renew, let caller?):
        outcome = try devices.renew(caller, body) { later }
      case (Method.pair, _): outcome = try devices.pair(body) { later }
      default: outcome = .fail(Status(.unimplemented, "no such method"))
      }
      if case .later = outcome { return }
      reply(outcome)
    } catch {
      reply(.fail(error))
    }
  }

  /// Opens a stream of events, and keeps it alive.
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

  /// The owner makes a pairing code.
  func invite(to account: Account, _ reply: @escaping (String?) -> Void) {
    guard isRunning else { return reply(nil) }
    nonisolated(unsafe) let reply = reply
    let answer = Answer { [self] outcome, _ in
      guard isRunning, case .reply(let bytes) = outcome else { return reply(nil) }
      reply(try? Invitation(decoding: bytes).code)
    }
    do throws(Status) {
      _ = try admin.inviteDevice(AccountRequest(name: account.name).encoded) { answer }
    } catch {
      reply(nil)
    }
  }

  /// An exchange of a program that is not ours.
  func exchangeForeign(_ request: ExchangeRequest, _ durable: @escaping () -> Void) {
    guard isRunning, let caller = registry.session(Self.foreigner) else { return }
    isServingForeigner = true
    serve(Method.exchange, caller, request.encoded) { [self] outcome in
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

  // MARK: Ends

  /// Storage failed, or the machine ended: production ends the process here.
  private func failed() {
    guard isAlive else { return }
    end(.killed)
    world.serverFailed()
  }

  /// Ends the process, and the machine with it.
  func end(_ how: SimulatedDisk.End) {
    guard isAlive else { return }
    isAlive = false
    disk.end(how)
    for wire in wires { wire.serverDied() }
    wires = []
  }

  /// Breaks the reference from what outlives the process.
  private final class Box: @unchecked Sendable {
    weak var process: ServerProcess?
  }
}

/// Chance where the code under test asks for it.
final class Randomness: @unchecked Sendable {
  // Sendable because a simulation has one thread.
  private var chance: Chance

  init(_ chance: Chance) { self.chance = chance }

  func number() -> UInt64 { chance.next() }
  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
  }
  func fraction() -> Double { Double.random(in: 0..<1, using: &chance) }
}
