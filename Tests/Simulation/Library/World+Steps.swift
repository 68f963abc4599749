// SPDX-License-Identifier: Apache-2.0
// What each step of a history does to the world, and what may follow from it.

import AtrestClient
import AtrestServer
import Foundation
import Replication
import SyncProtocol
import Transport

extension World {
  /// The most devices that copies may make of them.
  static let deviceLimit = 6

  func perform(_ step: Step) {
    var chance = Chance(step.salt)
    // A copy of a device has its share of what happens to the device.
    let family = devices.filter { $0.family == step.device }
    guard let device = chance.choose(family) else { return }
    switch step.action {
    case .edit: edit(device, &chance)
    case .sync(let cuts):
      device.link.cuts = cuts
      running(device)?.sync(chance)
    case .end(let how): end(device, how)
    case .endInWrite(let calls, let how):
      if running(device) != nil { device.disk.end(after: calls, how) }
    case .full(let after):
      if running(device) != nil { device.disk.fill(after: after) }
    case .diskSyncFails(let after):
      if running(device) != nil { device.disk.failSync(after: after) }
    case .clock(let offset, let drift): device.clock.set(offset: offset, drift: drift)
    case .link(let up, let down, let latency):
      device.link.carriesUp = up
      device.link.carriesDown = down
      device.link.latency = latency
      device.link.changed()
    case .replay: replay(device, chance)
    case .clone: clone(device, &chance)
    case .backUp: device.backup = device.disk.copy(seed: chance.next())
    case .putBack: putBack(device)
    case .endServer(let how): endServer(how)
    case .endServerInWrite(let calls, let how):
      if server != nil { serverDisk.end(after: calls, how) }
    case .serverFull(let after):
      guard let server else { return }
      serverDisk.fill(after: after)
      server.freeBytes = after == nil ? nil : chance.oneIn(2) ? 1_000_000 : nil
    case .serverDiskSyncFails(let after):
      if server != nil { serverDisk.failSync(after: after) }
    case .serverClock(let offset): serverClock.set(offset: offset)
    case .backUpServer: serverBackup = serverDisk.copy(seed: chance.next())
    case .putBackServer: putBackServer()
    case .foreignWrite: foreignWrite(&chance)
    case .pause(let days): scheduler.run(until: scheduler.now + Int64(days) * 86_400_000_000)
    }
  }

  // MARK: People

  private func edit(_ device: Device, _ chance: inout Chance) {
    guard let process = running(device) else { return }
    count(.edits)
    do {
      var noted: [Int] = []
      try process.replica.transaction { transaction in
        let edit = try Edit(transaction, &oracle, device: device.index, &chance)
        noted = edit.noted
      }
      oracle.owe(noted)
      if !noted.isEmpty { device.isUncertain = false }
      checkStamp(noted, process)
    } catch ReplicaError.invalid {
      // A record that was stripped cannot be written back in part.
    } catch let error as ReplicaError {
      failed(process, .replica(error))
    } catch {
      broke("device \(device.index) refuses an edit: \(error)")
    }
  }

  // MARK: How syncs end

  func synced(_ process: DeviceProcess) {
    count(.syncs)
    process.device.isUncertain = false
    guard violation == nil else { return }
    checkCursor(process)
  }

  func failed(_ process: DeviceProcess, _ error: SyncError) {
    count(.failedSyncs)
    let device = process.device
    if device.disk.hasEnded {
      // The machine ended inside a write; the program learns of it as an error.
      device.heldAtEnd = nil
      device.isUncertain = true
      process.end(.killed)
      count(.deviceEnds)
      return
    }
    switch error {
    case .unreachable, .cancelled: break
    // A pairing code that was used up by a try whose answer was lost, or is too old.
    case .notPermitted: break
    // A server that is put back more often than a sync bears.
    case .badAnswer where serverMayHaveForgotten: break
    case .accessEnded:
      guard serverMayHaveForgotten else {
        return broke("device \(device.index) was paired, and the server does not know it")
      }
      do { try process.replica.unpair() } catch { failed(process, .replica(error)) }
    case .replica(.storage):
      // A full or failing disk. Whoever uses the program starts it again.
      device.heldAtEnd = nil
      device.isUncertain = true
      process.end(.killed)
    case .replica, .notPaired, .notFound, .untrusted, .refused, .badAnswer, .massDeletion,
      .notLetIn, .joiningElsewhere:
      broke("device \(device.index) cannot sync: \(error)")
    }
  }

  // MARK: Copies

  private func clone(_ device: Device, _ chance: inout Chance) {
    guard devices.count < Self.deviceLimit, running(device) != nil else { return }
    count(.clones)
    let copy = addDevice(device.disk.copy(seed: chance.next()), family: device.family)
    copy.checked = device.checked
  }

  private func putBack(_ device: Device) {
    guard let backup = device.backup, running(device) != nil else { return }
    count(.putBacks)
    guard let before = holdings() else { return }
    device.process?.end(.killed)
    device.disk.restore(backup)
    device.lastStamp = nil
    device.heldAtEnd = nil
    device.checked = nil
    guard let after = holdings() else { return }
    oracle.excuse(before: before, after: after)
  }

  private func putBackServer() {
    guard let backup = serverBackup, server != nil else { return }
    count(.putBacks)
    guard var before = holdings(), let serverBefore = serverHoldings() else { return }
    let living = before.journal
    before.addJournal(journal)
    server?.end(.killed)
    server = nil
    serverDisk.restore(backup)
    feedAtEnd = nil
    seenHead = 0
    serverMayHaveForgotten = true
    for device in devices { device.checked = nil }
    startServer()
    guard let after = holdings() else { return }
    // What ended in time was there for as long as it was promised.
    journal = journal.subtracting(living).union(after.journal)
    oracle.excuse(before: before, after: after)
    if let serverAfter = serverHoldings() {
      oracle.noteForgotten(before: serverBefore, after: serverAfter)
    }
  }

  // MARK: Others

  private func replay(_ device: Device, _ chance: Chance) {
    var chance = chance
    guard let request = chance.choose(device.requests), running(device) != nil else { return }
    count(.replays)
    SimulatedTransport(self, device, Chance(chance.next()), token: nil).replay(request)
  }

  /// A newer program's write, straight into the server: it has no replica that could be copied.
  private func foreignWrite(_ chance: inout Chance) {
    guard let server, server.isAlive, !serverDisk.hasEnded, !server.isServingForeigner
    else { return }
    let number = oracle.nextNumber()
    let stamp = Stamp(time: HybridTime(serverClock.now()), replica: ServerProcess.foreigner)
    // Sometimes so large that a few of them fill a page.
    let isLarge = chance.oneIn(2)
    let text =
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
      + [UInt8](repeating: 0x41, count: isLarge ? 15_000 : 120)
    let fields: [FieldNumber] = isLarge ? [99, 100, 101] : [99]
    var before: Record?
    var record = Record(
      key: RecordKey(kind: RecordKind(rawValue: 4_000), id: [UInt8(chance.pick(0...99))]))
    do {
      if chance.oneIn(4), let known = chance.choose(try feed(of: server, after: 0)) {
        let held = try Record(decoding: known.body)
        guard held.key.kind != .conflict, held.key.kind != .entitlement, !held.isDeleted else {
          return
        }
        (before, record) = (held, held)
      } else {
        before = try feed(of: server, after: 0).lazy.compactMap { try? Record(decoding: $0.body) }
          .first { $0.key == record.key }
        if let before { record = before }
      }
      if let latest = record.latestTime, latest >= stamp.time { return }
      // Every action says that the record is not deleted.
      record.set(
        Register(
          field: Register.deletedField, stamp: stamp,
          replaced: before?[Register.deletedField]?.stamp, value: []))
      for field in fields {
        // The field's tag, the text's length, the text: as any encoder writes them.
        let head = [
          UInt8(field << 3 & 0x7F | 0x82), UInt8(field >> 4), UInt8(text.count & 0x7F | 0x80),
        ]
        record.set(
          Register(
            field: field, stamp: stamp, replaced: before?[field]?.stamp,
            value: head + [UInt8(text.count >> 7)] + text))
      }
      let noted = oracle.note(before, record, by: -1)
      let request = ExchangeRequest(
        cursor: nil,
        offers: [Offer(record: record, written: [Register.deletedField] + fields).encoded])
      server.exchangeForeign(request) { [self] in
        count(.foreignWrites)
        oracle.owe(noted)
      }
    } catch {
      if !serverDisk.hasEnded { broke("the server cannot be read: \(error)") }
    }
  }
}
