// SPDX-License-Identifier: Apache-2.0
// The state of a simulation, and how a history runs in it.

import AtrestHTTP2
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

/// A record in the server's feed with its sequence.
struct FeedRecord: Equatable {
  var sequence: UInt64
  var body: [UInt8]
}

/// One simulated world: a server, devices, and the oracles that judge them.
final class World: @unchecked Sendable {
  // Sendable: a simulation has one thread.

  let history: History
  let scheduler = Scheduler()
  let codecs = Codecs()
  let serverClock: SimulatedClock
  let serverDisk: SimulatedDisk
  var devices: [Device] = []
  /// The server's process while it runs. Nil if there are several.
  var server: ServerProcess?
  /// The database that several servers share. Nil: one server has a file.
  private(set) var database: SharedDatabase?
  /// Those servers; nil while one does not run.
  var nodes: [ServerProcess?] = []
  /// What the lanes of all servers run on.
  private(set) lazy var shard = SimulatedShard(scheduler)
  /// When the foreign program may write again.
  var foreignerWaitsUntil: Int64 = 0
  /// What the server's clock showed before it was set, and when.
  var earlierClocks: [(at: Int64, clock: WallTime)] = []
  let accounts: [Account]
  var violation: Violation?
  private(set) var counts: [Counted: Int] = [:]
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  // The observed state of the server.

  var serverBackup: SimulatedDisk?
  /// Whether a backup was restored, so that the server may not know some device.
  var serverMayHaveForgotten = false
  /// The account quota from the server's next start.
  var quota = AccountQuota.standard
  private var serverStarts = 0
  private var isStarting = false
  /// Whether the world is healing and must come to rest.
  var isHealing = false

  /// The story of one record, if requested.
  var story: Story?

  init(_ history: History, telling key: RecordKey? = nil) {
    self.history = history
    story = key.map { Story(of: $0) }
    serverClock = SimulatedClock(scheduler)
    serverDisk = SimulatedDisk(seed: history.seed &+ 1)
    accounts = (0...(history.neighbours > 0 ? 1 : 0)).map { Account(index: $0) }
    for index in 0..<history.devices + history.neighbours {
      addDevice(
        SimulatedDisk(seed: history.seed &+ UInt64(index) &+ 2),
        of: accounts[index < history.devices ? 0 : 1])
    }
    guard history.store == .shared else { return }
    let shared = SharedDatabase(self)
    let now = serverClock.now()
    shared.prepare(accounts.map(\.name)) { account in
      // A device without an acknowledged position prevents pruning for 30 days.
      history.hasForeigner ? ServerProcess.foreigner(of: account, at: now) : nil
    }
    database = shared
    nodes = Array(repeating: nil, count: shared.weather.nodes)
  }

  @discardableResult
  func addDevice(_ disk: SimulatedDisk, of account: Account, family: Int? = nil) -> Device {
    let device = Device(
      index: devices.count, family: family ?? devices.count, account: account, disk: disk,
      clock: SimulatedClock(scheduler))
    devices.append(device)
    return device
  }

  // MARK: Time and trace

  var instant: Instant { Instant(nanoseconds: UInt64(scheduler.now) * 1000) }

  func count(_ thing: Counted, _ number: Int = 1) { counts[thing, default: 0] += number }

  func trace(_ bytes: [UInt8]) {
    trace(UInt64(scheduler.now))
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }

  func trace(_ number: UInt64) { hash = (hash ^ number) &* 0x0000_0100_0000_01b3 }

  /// Records the first violation.
  func broke(_ what: String, about key: RecordKey? = nil) {
    if violation == nil { violation = Violation(what, about: key) }
  }

  // MARK: A history

  /// Runs the history, heals the world, and judges it.
  func run() -> Outcome {
    startServer()
    for step in history.steps {
      scheduler.run(until: scheduler.now + step.delay)
      guard violation == nil else { break }
      trace(UInt64(bitPattern: step.delay) ^ step.salt)
      perform(step)
      story?.tell("\(step)", of: self)
    }
    let days = Double(scheduler.now) / 86_400_000_000
    if violation == nil { heal() }
    story?.tell("all is made well", of: self)
    if violation == nil { judge() }
    if violation == nil { trace(serverClock.now().milliseconds.magnitude) }
    return Outcome(
      violation: violation, trace: hash, deviceDays: days * Double(devices.count), counts: counts)
  }

  /// Releases references to this world from scheduled events.
  func finish() {
    for device in devices { device.process?.end(.killed) }
    server?.end(.killed)
    server = nil
    for node in nodes { node?.end(.killed) }
    database?.close()
    _ = scheduler.run(for: 3_600_000_000) { false }
    scheduler.removeEvents()
    for device in devices { device.link.wires = [] }
    nodes = []
    database = nil
  }

  // MARK: The server

  /// The page size of one process: the real one, or small enough for many pages.
  func pageRecords(_ chance: inout Chance) -> Int {
    let records = chance.choose([2, 5, Page.records, Page.records]) ?? Page.records
    return history.hasSmallPages ? min(2, records) : records
  }

  func startServer() {
    guard database == nil else { return startNodes() }
    guard server == nil, violation == nil else { return }
    serverStarts += 1
    serverDisk.start()
    var chance = Chance(history.seed ^ UInt64(serverStarts) &* 0x1234_5678_9ABC_DEF1)
    let pages = chance.choose([8, 30, 1000]) ?? 8
    do {
      let process = try ServerProcess(
        self, disk: serverDisk, chance: chance, checkpointPages: pages,
        pageRecords: pageRecords(&chance))
      server = process
      compareFeed(process)
      noteFoundJournal(process)
    } catch {
      broke("the server does not start: \(error)")
    }
  }

  /// The server's process ended by itself, after an error or with its machine.
  func serverFailed() {
    count(.fatalServerErrors)
    for account in accounts { account.feedAtEnd = nil }
    server = nil
    restartServer()
  }

  /// Ends the server between two commits.
  ///
  /// - Parameter wait: Microseconds until it restarts. Nil: up to 20 seconds.
  func endServer(_ how: SimulatedDisk.End, startingAfter wait: Int64? = nil) {
    guard let process = server, process.isAlive else { return }
    count(.serverEnds)
    for account in accounts {
      account.feedAtEnd = try? feed(of: account, after: 0)
    }
    process.end(how)
    server = nil
    restartServer(after: wait)
  }

  private func restartServer(after wait: Int64? = nil) {
    guard !isStarting else { return }
    isStarting = true
    scheduler.after(wait ?? Int64(hash % 20_000_000) + 1) { [self] in
      isStarting = false
      startServer()
    }
  }

  /// The records of an account's feed.
  func feed(of account: Account, after: UInt64) throws -> [FeedRecord] {
    if let database {
      return database.tables.feed(of: account.sharedID, after: after)
        .map { FeedRecord(sequence: $0.sequence, body: $0.body) }
    }
    return try inspect { transaction, server throws(StoreError) in
      var records: [FeedRecord] = []
      try transaction.records.feed(of: server.id(of: account), after: after) { sequence, body in
        records.append(FeedRecord(sequence: sequence, body: body))
        return true
      }
      return records
    }
  }

  func head(of account: Account) throws -> UInt64 {
    if let database { return database.tables.head(of: account.sharedID).sequence }
    return try inspect { transaction, server throws(StoreError) in
      try transaction.accounts.feedState(of: server.id(of: account)).head.sequence
    }
  }

  /// The cursor at a sequence of an account's feed. Nil beyond its head.
  func position(of sequence: UInt64, of account: Account) throws -> Cursor? {
    if let database {
      return database.tables.position(of: sequence, account: account.sharedID)
    }
    return try inspect { transaction, server throws(StoreError) in
      try transaction.accounts.position(of: sequence, account: server.id(of: account))
    }
  }

  private func inspect<R>(
    _ body: (any StoreTransaction, ServerProcess) throws(StoreError) -> R
  ) throws -> R {
    guard let server else { throw StoreError.closed }
    return try server.inspect { transaction throws(StoreError) in try body(transaction, server) }
  }

  /// Whether what the server holds can be looked at.
  var isReadable: Bool {
    database != nil || (server?.isAlive ?? false) && !serverDisk.hasEnded
  }

  // MARK: Devices

  /// The program on a device, started if needed. Nil if it cannot start.
  func running(_ device: Device) -> DeviceProcess? {
    if let process = device.process {
      guard device.disk.hasEnded else { return process }
      // It ended inside a write of a sync that has not learned of it yet.
      device.heldAtEnd = nil
      process.end(.killed)
    }
    device.disk.start()
    var chance = Chance(history.seed ^ UInt64(scheduler.now) ^ UInt64(device.index) << 32)
    let pages = chance.choose([8, 30, 1000]) ?? 8
    do {
      let process = try DeviceProcess(
        self, device, chance, checkpointPages: pages, pageRecords: pageRecords(&chance))
      device.process = process
      compareView(process)
      oweShown(process)
      return process
    } catch {
      broke("device \(device.index) does not start: \(error)")
      return nil
    }
  }

  /// Ends a device between two of its writes.
  func end(_ device: Device, _ how: SimulatedDisk.End) {
    guard let process = device.process else { return }
    count(.deviceEnds)
    device.heldAtEnd = try? DeviceView(process.replica)
    process.end(how)
  }
}
