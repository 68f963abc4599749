// SPDX-License-Identifier: Apache-2.0
// A world of two devices and one record, with one action at a time.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestSync
import Foundation

/// Two paired devices that hold one fast, and a server that has it. Copies of A's disk and of the
/// server's disk were made in that state.
///
/// Only names are random. Links are fast, both ends learn of a broken connection at once, and each
/// action starts in its own second, after everything before has ended.
/// once, and each action begins on a second of its own, when everything before has ended.
final class SmallWorld {
  /// One second in microseconds.
  private static let slot: Int64 = 1_000_000
  private static let clockStep: Int64 = 2 * 3_600_000

  let world: World
  let tables: DiskTablesCache
  private var serverOffset: Int64 = 0
  private var isClockATurned = false
  private(set) var path: [SmallAction] = []

  /// The common start of every path.
  struct Start {
    fileprivate let disks: [SimulatedDisk]
    fileprivate let serverDisk: SimulatedDisk
    fileprivate let account: Account
    fileprivate let now: Int64
    fileprivate let tables = DiskTablesCache()
  }

  /// The only record.
  static let key = RecordKey(kind: .session, id: [UInt8](repeating: 0x5A, count: 16))

  private init(at now: Int64, _ tables: DiskTablesCache = DiskTablesCache()) {
    self.tables = tables
    var plan = History.Plan()
    plan.devices = 2
    plan.operations = 0
    plan.stores = [.file]
    plan.faults = []
    world = World(History(seed: 1, plan: plan))
    for device in world.devices { Self.quicken(device) }
    world.scheduler.run(until: now)
  }

  /// Creates a world in the start state.
  convenience init(_ start: Start) {
    self.init(at: start.now, start.tables)
    world.serverDisk.restore(start.serverDisk)
    for (device, disk) in zip(world.devices, start.disks) { device.disk.restore(disk) }
    let account = world.accounts[0]
    account.oracle = start.account.oracle
    account.acknowledged = start.account.acknowledged
    account.journal = start.account.journal
    account.view = start.account.view
    account.greatest = start.account.greatest
    account.seenHead = start.account.seenHead
    world.noteServerClock()
    world.startServer()
    world.devices[0].backup = start.disks[0]
    world.serverBackup = start.serverDisk
    settle()
  }

  private static func quicken(_ device: Device) {
    device.link.latency = 1
    device.link.isPrompt = true
  }

  /// Pairs the devices and syncs the record to all of them.
  static func start() throws -> Start {
    let small = SmallWorld(at: 0)
    defer { small.world.finish() }
    small.world.startServer()
    small.settle()
    small.write(.whole, on: small.world.devices[0])
    for _ in 0..<2 { for action in [SmallAction.syncA, .syncB] { small.perform(action) } }
    if let violation = small.world.violation { throw violation }
    let disks = small.world.devices.map { $0.disk.copy(seed: UInt64($0.index) + 11) }
    return Start(
      disks: disks, serverDisk: small.world.serverDisk.copy(seed: 10),
      account: small.world.accounts[0], now: small.world.scheduler.now)
  }

  /// Performs the actions one after another, until a violation.
  func perform(_ actions: [SmallAction]) {
    for action in actions { perform(action) }
  }

  /// Performs one action and waits until it has ended.
  func perform(_ action: SmallAction) {
    guard world.violation == nil else { return }
    path.append(action)
    switch action {
    case .writeTargetA, .writeTargetB, .writeTargetC: onDevice(action) { write(.target, on: $0) }
    case .writeSpanA, .writeSpanB: onDevice(action) { write(.span, on: $0) }
    case .deleteA, .deleteB: onDevice(action) { write(.deletion, on: $0) }
    case .syncA, .syncB, .syncC: onDevice(action) { sync($0, .sync(cuts: [])) }
    case .syncUnheardA, .syncUnheardB: onDevice(action) { sync($0, .unheardSyncs(1)) }
    case .backUpA: onDevice(action) { pass(.backUp, on: $0) }
    case .putBackA: onDevice(action) { pass(.putBack, on: $0) }
    case .cloneA:
      onDevice(action) { device in
        guard world.devices.count == 2 else { return }
        pass(.clone, on: device)
        Self.quicken(world.devices[2])
      }
    case .backUpServer: pass(.backUpServer, on: world.devices[0])
    case .putBackServer: pass(.putBackServer, on: world.devices[0])
    case .restartServer: world.endServer(.killed, startingAfter: 1)
    case .serverClockForward: turnServerClock(by: Self.clockStep)
    case .serverClockBack: turnServerClock(by: -Self.clockStep)
    case .turnClockA:
      isClockATurned.toggle()
      onDevice(action) { $0.clock.set(offset: isClockATurned ? Self.clockStep : 0) }
    }
    settle()
  }

  /// Lets some seconds pass.
  func wait(seconds: Int64) {
    world.scheduler.run(until: world.scheduler.now + seconds * Self.slot)
  }

  /// Heals the world and judges it. Call once.
  func judge() -> Violation? {
    if world.violation == nil { world.heal() }
    if world.violation == nil { world.judge() }
    return world.violation
  }

  private func settle() {
    world.scheduler.run(until: (world.scheduler.now / Self.slot + 1) * Self.slot)
  }

  private func onDevice(_ action: SmallAction, _ body: (Device) -> Void) {
    guard let index = action.device, index < world.devices.count else { return }
    body(world.devices[index])
  }

  private func pass(_ action: Step.Action, on device: Device) {
    var chance = Chance(UInt64(world.scheduler.now))
    world.perform(action, on: device, &chance)
  }

  private func sync(_ device: Device, _ action: Step.Action) {
    pass(action, on: device)
    let isOver = world.scheduler.run(for: 600 * Self.slot) {
      (device.process?.syncCount ?? 0) == 0 && !device.link.isDeaf
    }
    if !isOver { world.broke("device \(device.index) never ends a sync") }
  }

  private func turnServerClock(by step: Int64) {
    let offset = serverOffset + step
    guard offset.magnitude <= Self.clockStep.magnitude else { return }
    serverOffset = offset
    pass(.serverClock(offset: offset), on: world.devices[0])
  }

  // MARK: People

  private enum Edit {
    case whole, target, span, deletion
  }

  /// One action of a person with a unique value.
  private func write(_ edit: Edit, on device: Device) {
    guard let process = world.running(device), let id = RecordUUID(bytes: Self.key.id) else {
      return
    }
    let oracle = device.account.oracle
    let number = device.account.oracle.nextNumber()
    do {
      let (before, after) = try process.replica.transaction { transaction in
        let before = try transaction.record(Self.key)
        if edit == .deletion {
          try transaction.delete(Self.key)
        } else {
          // A pruned record is written anew and completely.
          let held = before.flatMap { try? Session($0) }
          var session =
            try held ?? Session(id: id, span: span(number), targetMinutes: Int(number))
          if edit == .target { session.targetMinutes = Int(number) }
          if edit == .span { session.span = try span(number) }
          try transaction.save(session)
        }
        return (before, try transaction.record(Self.key))
      }
      guard let after, after != before else {
        device.account.oracle = oracle
        return
      }
      let noted = device.account.oracle.note(
        before, after, by: device.index, family: device.family)
      device.account.oracle.owe(noted)
      world.checkStamp(noted, process)
    } catch {
      world.broke("device \(device.index) refuses an edit: \(error)")
    }
  }

  private func span(_ number: Int64) throws -> Session.Span {
    let start = WallTime(milliseconds: 1_700_000_000_000 + number * 60_000)
    guard
      let span = Session.Span(
        start: start, end: start.advanced(by: 8 * 3_600_000), outcome: .completed)
    else { throw ReplicaError.invalid("a span that ends before it begins") }
    return span
  }
}
