// SPDX-License-Identifier: Apache-2.0
// The effects of each step of a history on the world.

import AtrestClient
import AtrestHTTP2
import AtrestReplication
import AtrestServer
import AtrestSync
import AtrestWire
import Foundation

extension World {
  /// Maximum number of devices, copies included.
  static let deviceLimit = 6

  func perform(_ step: Step) {
    var chance = Chance(step.salt)
    // A copy of a device shares what happens to the device.
    let family = devices.filter { $0.family == step.device }
    guard let device = chance.choose(family) else { return }
    perform(step.action, on: device, &chance)
  }

  /// Performs an action on exactly this device, ignoring copies.
  func perform(_ action: Step.Action, on device: Device, _ chance: inout Chance) {
    if let database, perform(action, on: database, &chance) { return }
    switch action {
    case .edit: edit(device, &chance)
    case .sync(let cuts):
      device.link.cuts = cuts
      let allows = !history.holdsMassDeletions || chance.oneIn(3)
      running(device)?.sync(chance, allowingMassDeletion: allows)
    case .watch(let seconds): running(device)?.watch(seconds: seconds, chance)
    case .deleteMost: deleteMost(device, &chance)
    case .unpair: unpair(device)
    case .unheardSyncs(let number): syncUnheard(device, number, chance)
    case .endOneSync: device.process?.endOneSync()
    case .bandwidth(let bytes): device.link.bandwidth = bytes
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
    case .backUp:
      noteCopied(device)
      device.backup = device.disk.copy(seed: chance.next())
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
    case .quota(let records): quota = records.map { AccountQuota(records: $0) } ?? .standard
    case .serverClock(let offset):
      count(.serverClockSteps)
      noteServerClock()
      serverClock.set(offset: offset)
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
    var noted: [Int] = []
    do {
      try process.replica.transaction { transaction in
        let edit = try Edit(
          transaction, &device.account.oracle, device: device.index, family: device.family, &chance)
        noted = edit.noted
      }
      device.account.oracle.owe(noted)
      checkStamp(noted, process)
    } catch ReplicaError.Code.invalid {
      // The journal lists what lost in a record that has not arrived yet.
    } catch let error as ReplicaError {
      device.unanswered += noted
      failed(process, .replica(error))
    } catch {
      broke("device \(device.index) refuses an edit: \(error)")
    }
  }

  /// Deletes most of the visible records, one action per record.
  private func deleteMost(_ device: Device, _ chance: inout Chance) {
    guard let process = running(device) else { return }
    var noted: [Int] = []
    do {
      let records = try process.replica.allRecords().filter {
        !$0.isDeleted && $0.key.kind != .conflict && $0.key.kind != .entitlement
      }
      guard records.count >= 20 else { return }
      try process.replica.transaction { transaction in
        for record in records where !chance.oneIn(5) {
          guard let before = try transaction.record(record.key),
            try transaction.delete(record.key), let after = try transaction.record(record.key)
          else { continue }
          noted += device.account.oracle.note(
            before, after, by: device.index, family: device.family)
        }
      }
      device.account.oracle.owe(noted)
      checkStamp(noted, process)
    } catch let error as ReplicaError {
      device.unanswered += noted
      failed(process, .replica(error))
    } catch {
      broke("device \(device.index) refuses a deletion: \(error)")
    }
  }

  private func unpair(_ device: Device) {
    guard let process = running(device), process.syncCount == 0,
      (try? process.replica.token()) != .some(nil)
    else { return }
    do {
      try process.replica.unpair()
      count(.unpairs)
      device.lastStamp = nil
      device.checked = nil
    } catch {
      failed(process, .replica(error))
    }
  }

  /// Syncs repeatedly while the device receives nothing from the server.
  private func syncUnheard(_ device: Device, _ number: Int, _ chance: Chance) {
    guard !device.link.isDeaf, running(device) != nil else { return }
    if number > 32 { count(.unheardRuns) }
    device.link.isDeaf = true
    syncUnheard(device, left: number, chance)
  }

  private func syncUnheard(_ device: Device, left: Int, _ chance: Chance) {
    var chance = chance
    guard left > 0, !isHealing, violation == nil, let process = running(device) else {
      device.link.isDeaf = false
      return
    }
    let next = Chance(chance.next())
    process.sync(chance, attempts: 1) { [self] _ in
      scheduler.after(1_000) { self.syncUnheard(device, left: left - 1, next) }
    }
  }

  // MARK: How syncs end

  func synced(_ process: DeviceProcess) {
    count(.syncs)
    if process.device.account.index > 0 { count(.neighbourSyncs) }
    guard violation == nil else { return }
    checkCursor(process)
  }

  func failed(_ process: DeviceProcess, _ error: SyncError) {
    count(.failedSyncs)
    let device = process.device
    if device.disk.hasEnded {
      // The machine ended inside a write, which the program sees as an error.
      device.heldAtEnd = nil
      process.end(.killed)
      count(.deviceEnds)
      return
    }
    switch error.reason {
    case .unreachable, .cancelled: break
    case .massDeletion where history.holdsMassDeletions: count(.heldDeletions)
    // The pairing code expired, or was used by a try whose response was lost.
    case .notPermitted: break
    // The server was restored more often than a sync tolerates.
    case .badAnswer where serverMayHaveForgotten: break
    case .accessEnded:
      guard serverMayHaveForgotten else {
        return broke("device \(device.index) was paired, and the server does not know it")
      }
      do { try process.replica.unpair() } catch { failed(process, .replica(error)) }
    case .replica(let error) where [.storage, .inaccessible].contains(error.code):
      // The disk is full or failing. The user restarts the program.
      device.heldAtEnd = nil
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
    noteCopied(device)
    let copy = addDevice(
      device.disk.copy(seed: chance.next()), of: device.account, family: device.family)
    copy.checked = device.checked
    device.wasCopied = true
    copy.wasCopied = true
  }

  private func noteCopied(_ device: Device) {
    guard let process = running(device), let waiting = try? process.replica.waitingOffers()
    else { return }
    device.account.oracle.noteCopied(waiting)
  }

  private func putBack(_ device: Device) {
    guard let backup = device.backup, running(device) != nil else { return }
    count(.putBacks)
    guard let before = holdings(of: device.account) else { return }
    device.process?.end(.killed)
    device.disk.restore(backup)
    device.wasCopied = true
    device.lastStamp = nil
    device.heldAtEnd = nil
    device.offersAtEnd = nil
    device.checked = nil
    guard let after = holdings(of: device.account) else { return }
    device.account.oracle.excuse(before: before, after: after)
    acknowledgeWhatIsHeld(device.account)
  }

  private func putBackServer() {
    guard let backup = serverBackup, server != nil else { return }
    count(.putBacks)
    serverMayHaveForgotten = true
    forgetting { [self] in
      server?.end(.killed)
      server = nil
      serverDisk.restore(backup)
    } then: { [self] in
      startServer()
    }
  }

  /// Lets the server forget something, and grants the oracle what it cannot know any more.
  ///
  /// - Parameters:
  ///   - change: Gives the server another history.
  ///   - start: Makes it readable.
  func forgetting(_ change: () -> Void, then start: () -> Void = {}) {
    var before: [(everywhere: Holdings, server: Holdings)] = []
    for account in accounts {
      guard let everywhere = holdings(of: account), let server = serverHoldings(of: account)
      else { return }
      before.append((everywhere, server))
    }
    change()
    for account in accounts { account.forgetView() }
    for device in devices { device.checked = nil }
    start()
    for (account, was) in zip(accounts, before) {
      guard let everywhere = holdings(of: account), let server = serverHoldings(of: account)
      else { return }
      // Expired entries were available for their promised time.
      let ended = account.journal.subtracting(was.everywhere.journal)
      var (known, taken) = (was.everywhere, was.server)
      known.addJournal(account.journal)
      // Values restored from the journal were dismissed there.
      taken.addJournal(account.journal)
      account.journal = ended.union(everywhere.journal)
      account.oracle.excuse(before: known, after: everywhere)
      account.oracle.notePruned(before: taken, after: server)
      acknowledgeWhatIsHeld(account)
    }
    look()
  }

  // MARK: Replays and foreign writes

  private func replay(_ device: Device, _ chance: Chance) {
    var chance = chance
    guard let request = chance.choose(device.requests), running(device) != nil else { return }
    count(.replays)
    SimulatedTransport(self, device, Chance(chance.next()), token: nil).replay(request)
  }

  /// A newer program's write, directly into the server: it has no replica that could be copied.
  private func foreignWrite(_ chance: inout Chance) {
    guard isReadable, let server = nodes.isEmpty ? server : anyNode(chance.next()),
      !server.isServingForeigner,
      scheduler.now >= foreignerWaitsUntil
    else { return }
    let account = accounts[0]
    let number = account.oracle.nextNumber()
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
      if chance.oneIn(4), let known = chance.choose(try feed(of: account, after: 0)) {
        let held = try Record(decoding: known.body)
        guard held.key.kind != .conflict, held.key.kind != .entitlement, !held.isDeleted else {
          return
        }
        (before, record) = (held, held)
      } else {
        before = try feed(of: account, after: 0).lazy.compactMap {
          try? Record(decoding: $0.body)
        }
        .first { $0.key == record.key }
        if let before { record = before }
      }
      if let latest = record.latestTime, latest >= stamp.time { return }
      // Every action writes that the record is not deleted.
      record.set(
        Register(
          field: Register.deletedField, stamp: stamp,
          replaced: before?[Register.deletedField]?.stamp, value: []))
      for field in fields {
        // The field's tag, the text's length, and the text, in standard encoding.
        let head = [
          UInt8(field << 3 & 0x7F | 0x82), UInt8(field >> 4), UInt8(text.count & 0x7F | 0x80),
        ]
        record.set(
          Register(
            field: field, stamp: stamp, replaced: before?[field]?.stamp,
            value: head + [UInt8(text.count >> 7)] + text))
      }
      let noted = account.oracle.note(
        before, record, by: Oracle.foreigner, family: Oracle.foreigner)
      let request = ExchangeRequest(
        cursor: nil,
        offers: [Offer(record: record, written: [Register.deletedField] + fields).encoded])
      server.exchangeForeign(request) { [self] in
        count(.foreignWrites)
        account.oracle.owe(noted)
      }
    } catch {
      if !serverDisk.hasEnded { broke("the server cannot be read: \(error)") }
    }
  }
}
