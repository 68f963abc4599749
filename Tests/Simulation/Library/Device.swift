// SPDX-License-Identifier: Apache-2.0
// One device: a disk, a clock, a link, and at times a running program.

import AtrestClient
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

/// A device, running or not.
final class Device {
  let index: Int
  /// The index of the original device, if this is a copy, or of itself.
  let family: Int
  let account: Account
  let disk: SimulatedDisk
  let clock: SimulatedClock
  let link = Link()
  /// The program while it runs.
  var process: DeviceProcess?
  /// The program's view when it was ended between two writes. Nil if it ended inside one.
  var heldAtEnd: DeviceView?
  /// A copy of the disk that was made earlier.
  var backup: SimulatedDisk?
  /// Recently sent requests.
  private(set) var requests: [RecordedRequest] = []
  /// Writes that ended without a result and that nobody has seen since.
  var unanswered: [Int] = []
  /// The stamp of its last action. Nil if a sync started since, because that may restamp pending
  /// writes.
  var lastStamp: Stamp?
  /// Its view was compared with the server's feed up to here.
  var checked: UInt64?
  /// Whether its disk is a copy, was copied to another device, or was restored. Otherwise the
  /// device never takes a new identity.
  var wasCopied = false
  /// Records with a write that was refused because the account was full, and with none accepted
  /// since.
  var overQuota: Set<RecordKey> = []
  /// Offers that were refused under their numbers.
  var refused: Set<RefusedOffer> = []
  /// The pending offers before a transaction that may have restamped them and in which the machine
  /// ended.
  var offersAtEnd: [Offer]?

  init(index: Int, family: Int, account: Account, disk: SimulatedDisk, clock: SimulatedClock) {
    self.index = index
    self.family = family
    self.account = account
    self.disk = disk
    self.clock = clock
  }

  func sent(_ request: RecordedRequest) {
    requests.append(request)
    if requests.count > 8 { requests.removeFirst() }
  }
}

/// A refused offer and its number at the time.
struct RefusedOffer: Hashable {
  var number: UInt64
  var bytes: [UInt8]
}

/// Everything that a replica has promised to keep.
struct DeviceView: Equatable {
  var records: [RecordKey: Record]
  var waiting: [PendingWrite]
  var cursor: Cursor?

  init(_ replica: Replica) throws(ReplicaError) {
    let all = try replica.allRecords()
    records = Dictionary(all.map { ($0.key, $0) }) { first, _ in first }
    waiting = try replica.pending()
    cursor = try replica.status().cursor
  }
}

/// The program on a device, from one start to its end.
final class DeviceProcess: @unchecked Sendable {
  // Sendable: a simulation has one thread.

  /// The ways in which a sync may end without a bug in the program.
  enum Ending {
    case synced
    case failed(SyncError)
  }

  static let syncLimit = 2

  private let world: World
  let device: Device
  let replica: Replica
  private let randomness: Randomness
  private let pageRecords: Int
  private var requestCount = 0
  private(set) var isAlive = true
  private var syncs: [Int: (cancel: () -> Void, transport: SimulatedTransport)] = [:]
  /// The number of the sync that was started last.
  private(set) var lastSync = 0
  /// Whether a running sync may restamp pending writes, because a stamp was refused or the device
  /// takes a new identity.
  var mayRestamp = false
  /// Whether deletions wait for a person's confirmation.
  private var hasHeldDeletions = false
  /// The sync that follows the stream.
  private var watching: Int?
  /// Runs a transaction of a sync once the disk gets to it.
  let onDisk: @Sendable (@escaping @Sendable () -> Void) -> Void

  init(
    _ world: World, _ device: Device, _ chance: Chance, checkpointPages: Int, pageRecords: Int
  ) throws {
    self.world = world
    self.device = device
    self.pageRecords = pageRecords
    randomness = Randomness(chance)
    let scheduler = world.scheduler
    let randomness = randomness
    let box = Box()
    onDisk = { work in
      scheduler.after(Int64(randomness.number() % 3_000)) {
        if let process = box.process { process.watchingRestamps(work) } else { work() }
      }
    }
    replica = try Replica(
      uri: device.disk.uri("replica.sqlite"), clock: device.clock, checkpointPages: checkpointPages,
      pageRecords: pageRecords, random: { randomness.nonce() }, waiting: onDisk)
    box.process = self
    guard let before = device.offersAtEnd else { return }
    device.offersAtEnd = nil
    device.account.oracle.noteRestamp(
      before, try replica.waitingOffers(), family: device.family)
  }

  /// Runs one transaction of a sync and reports restamped writes to the oracle.
  private func watchingRestamps(_ work: () -> Void) {
    guard mayRestamp, isAlive, !device.disk.hasEnded,
      let before = try? replica.waitingOffers(), !before.isEmpty
    else { return work() }
    work()
    if isAlive, !device.disk.hasEnded, let after = try? replica.waitingOffers() {
      device.account.oracle.noteRestamp(before, after, family: device.family)
    } else {
      // It may be durable nevertheless.
      device.offersAtEnd = before
    }
  }

  var syncCount: Int { syncs.count }

  /// Performs a request of a sync. One of eight is performed by tables in memory as well.
  func perform(_ request: StoreRequest) throws(ReplicaError) -> StoreReply {
    requestCount += 1
    guard requestCount % 8 == 0 else { return try replica.perform(request) }
    let twin = try MemoryTwin(of: replica)
    randomness.drawn = []
    let reply = try replica.perform(request)
    let difference = try twin.difference(
      performing: request, reply: reply, at: device.clock.now(), pageRecords: pageRecords,
      numbers: randomness.drawn)
    if let difference {
      world.broke("tables in memory have \(difference) after \("\(request)".prefix(40))")
    }
    return reply
  }

  /// Reports that a sync did not tell what it brought.
  func note(_ omission: String?) {
    guard let omission else { return }
    world.broke("device \(device.index) reports \(omission)")
  }

  /// Starts a sync, unless the maximum number is running.
  func sync(
    _ chance: Chance, allowingMassDeletion: Bool = true, attempts: Int = 4,
    _ done: @escaping (Ending) -> Void = { _ in }
  ) {
    let pacing = pacing(attempts)
    let cycle = SyncCycle(
      bounds: SyncBounds(attempts: attempts, simulated: pageRecords),
      allowsMassDeletion: allowingMassDeletion)
    let ended = { [self] (ending: Ending) in
      if case .synced = ending {
        if allowingMassDeletion, hasHeldDeletions { world.count(.allowedDeletions) }
        hasHeldDeletions = false
      }
      done(ending)
    }
    start(chance, .cycle(cycle), pacing, ended) { [self] transport throws(SyncError) in
      let isPaired = try token() != nil
      let transport = isPaired ? transport : try await pair(transport)
      defer { transport.close() }
      try await engine(transport, pacing).sync(allowingMassDeletion: allowingMassDeletion)
    }
  }

  /// Follows the server's stream for some seconds.
  func watch(seconds: Int, _ chance: Chance) {
    // Without a server there is no stream, and nothing was synced.
    guard watching == nil, (try? token()) != nil else { return }
    let pacing = pacing(4)
    let follower = SyncFollower(
      bounds: SyncBounds(attempts: pacing.attempts, simulated: pageRecords))
    let number = start(chance, .follower(follower), pacing) {
      [self] transport throws(SyncError) in
      try await engine(transport, pacing).watch { [self] _, error in heard(error) }
    }
    watching = number
    world.scheduler.after(Int64(seconds) * 1_000_000) { [weak self] in
      guard let self, watching == number else { return }
      stopWatching()
    }
  }

  /// A follower is up to date, or lost its connection.
  private func heard(_ error: SyncError?) {
    if error == nil, syncs.count == 1, isAlive { world.checkCursor(self, besides: 1) }
  }

  func stopWatching() {
    guard let number = watching else { return }
    watching = nil
    syncs[number]?.cancel()
  }

  /// Kills one of several syncing processes. Its pending disk operations still happen.
  func endOneSync() {
    guard syncs.count > 1, let number = syncs.keys.filter({ $0 != watching }).min() else { return }
    world.count(.endedBeside)
    syncs[number]?.transport.die()
    syncs[number]?.cancel()
  }

  private func token() throws(SyncError) -> String? {
    do { return try replica.token() } catch { throw .replica(error) }
  }

  /// Starts a sync: the machine itself, or the work that runs one like it in a task. A device that
  /// is not paired yet takes the task, which pairs it.
  @discardableResult
  private func start(
    _ chance: Chance, _ machine: SyncMachine, _ pacing: Pacing,
    _ done: @escaping (Ending) -> Void = { _ in },
    _ work: @escaping (SimulatedTransport) async throws(SyncError) -> Void
  ) -> Int? {
    guard isAlive, syncs.count < Self.syncLimit else {
      done(.failed(.cancelled))
      return nil
    }
    lastSync += 1
    device.lastStamp = nil
    let number = lastSync
    var chance = chance
    let token: String?
    do { token = try replica.token() } catch {
      world.failed(self, .replica(error))
      done(.failed(.replica(error)))
      return nil
    }
    let transport = SimulatedTransport(world, device, Chance(chance.next()), token: token)
    let isDirect = token != nil && chance.oneIn(2)
    switch machine {
    case .cycle: world.count(isDirect ? .directSyncs : .taskSyncs)
    case .follower: world.count(isDirect ? .directWatches : .taskWatches)
    }
    let over = { [self] (ending: Ending) in
      ended(number, transport, ending)
      done(ending)
    }
    let cancel =
      isDirect
      ? runDirectly(machine, transport, pacing, over) : runInTask(transport, work, over)
    syncs[number] = (cancel, transport)
    return number
  }

  /// - Returns: What cancels it.
  private func runInTask(
    _ transport: SimulatedTransport,
    _ work: @escaping (SimulatedTransport) async throws(SyncError) -> Void,
    _ over: @escaping (Ending) -> Void
  ) -> () -> Void {
    nonisolated(unsafe) let (work, over) = (work, over)
    return world.scheduler.task {
      do throws(SyncError) {
        try await work(transport)
        over(.synced)
      } catch {
        over(.failed(error))
      }
    }.cancel
  }

  /// - Returns: What cancels it.
  private func runDirectly(
    _ machine: SyncMachine, _ transport: SimulatedTransport, _ pacing: Pacing,
    _ over: @escaping (Ending) -> Void
  ) -> () -> Void {
    let direct = DirectSync(
      machine, of: self, through: transport, on: world.scheduler, pacing: pacing, news: heard
    ) { result in
      switch result {
      case .success(let report):
        let held = report.heldDeletions
        over(held.map { .failed(.massDeletion(count: $0.count, of: $0.of)) } ?? .synced)
      case .failure(let error): over(.failed(error))
      }
    }
    direct.begin()
    return direct.cancel
  }

  private func pacing(_ attempts: Int) -> Pacing {
    var pacing = Pacing()
    let scheduler = world.scheduler
    let randomness = randomness
    pacing.attempts = attempts
    pacing.pollInterval = .seconds(5)
    pacing.random = { randomness.bits() }
    pacing.sleep = { duration in
      try Task.checkCancellation()
      await withUnsafeContinuation { continuation in
        scheduler.after(duration) { continuation.resume() }
      }
      try Task.checkCancellation()
    }
    return pacing
  }

  private func engine(_ transport: SimulatedTransport, _ pacing: Pacing) -> SyncEngine {
    SyncEngine(store: replica, transport: transport, clock: device.clock, pacing: pacing)
  }

  /// Requests a code from the server's operator and joins.
  ///
  /// - Returns: A transport with the new identity.
  private func pair(
    _ transport: SimulatedTransport
  ) async throws(SyncError) -> SimulatedTransport {
    let world = world
    let code = await withUnsafeContinuation { (waiting: UnsafeContinuation<String?, Never>) in
      var isOver = false
      let finish = { (code: String?) in
        guard !isOver else { return }
        isOver = true
        waiting.resume(returning: code)
      }
      // A server that ends in between answers nobody.
      world.scheduler.after(5_000_000) { finish(nil) }
      if let server = world.nodes.isEmpty ? world.server : world.anyNode(randomness.number()) {
        server.invite(to: device.account, finish)
      } else {
        finish(nil)
      }
    }
    guard let code else { throw .unreachable("there is no code") }
    let answer = try await transport.pair(
      PairRequest(code: code, deviceName: "device \(device.index)"))
    guard isAlive else { throw .cancelled }
    do {
      if try replica.token() == nil {
        let before = try replica.waitingOffers()
        device.offersAtEnd = before
        try replica.adopt(answer, server: "server:1")
        device.account.oracle.noteRestamp(
          before, try replica.waitingOffers(), family: device.family)
        device.offersAtEnd = nil
      }
    } catch {
      throw .replica(error)
    }
    return SimulatedTransport(world, device, Chance(randomness.number()), token: answer.token)
  }

  private func ended(_ number: Int, _ transport: SimulatedTransport, _ ending: Ending) {
    transport.close()
    syncs[number] = nil
    if watching == number { watching = nil }
    if syncs.isEmpty { mayRestamp = false }
    if case .failed(.massDeletion) = ending { hasHeldDeletions = true }
    guard isAlive else { return }
    device.lastStamp = nil
    switch ending {
    case .synced: world.synced(self)
    case .failed(let error): world.failed(self, error)
    }
  }

  /// Ends the program and its machine.
  func end(_ how: SimulatedDisk.End) {
    guard isAlive else { return }
    isAlive = false
    device.disk.end(how)
    for number in syncs.keys.sorted() {
      syncs[number]?.transport.die()
      syncs[number]?.cancel()
    }
    syncs = [:]
    device.process = nil
  }

  /// Breaks the reference from objects that the replica keeps.
  private final class Box: @unchecked Sendable {
    // Sendable: a simulation has one thread.
    weak var process: DeviceProcess?
  }
}
