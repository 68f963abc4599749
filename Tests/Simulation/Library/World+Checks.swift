// SPDX-License-Identifier: Apache-2.0
// What must hold: all the time, after each end of a program, and once the world is well again.

import AtrestClient
import AtrestServer
import Foundation
import Replication
import SyncProtocol

extension World {
  // MARK: All the time

  /// Looks at what the server committed since the last look.
  func look() {
    guard violation == nil, let server, server.isAlive, !serverDisk.hasEnded else { return }
    for account in accounts { look(at: account, server) }
  }

  private func look(at account: Account, _ server: ServerProcess) {
    do {
      let head = try head(of: account, in: server)
      let seen = account.seenHead
      guard head >= seen else { return broke("the feed went back: \(seen), then \(head)") }
      defer { account.looked = serverClock.now() }
      guard head > seen else { return }
      var last = seen
      for stored in try feed(of: account, in: server, after: seen) {
        guard stored.sequence > last, stored.sequence <= head else {
          return broke("the feed's sequence \(stored.sequence) lies outside \(last)...\(head)")
        }
        last = stored.sequence
        let record = try Record(decoding: stored.body)
        checkTimes(of: record, account)
        account.oracle.noteCommitted(account.view[record.key], record)
        noteEndedEntry(record, account)
        account.view[record.key] = record
        noteJournal(record, account)
      }
      account.seenHead = head
    } catch {
      // The machine may end inside this very read's transaction.
      if !serverDisk.hasEnded { broke("the server's feed cannot be read: \(error)") }
    }
  }

  /// What was committed when the server ended is there when it starts, and may be due for its end at
  /// once. It may also still go with the power; but then nobody was told that his write was taken.
  func noteFoundJournal(_ server: ServerProcess) {
    for account in accounts {
      do {
        for stored in try feed(of: account, in: server, after: account.seenHead) {
          noteJournal(try Record(decoding: stored.body), account)
        }
      } catch {
        if !serverDisk.hasEnded { broke("the server's feed cannot be read: \(error)") }
      }
    }
  }

  /// What is being committed while the server's clock is set may be dated by either; so may what is found when a server starts that ended in
  /// a commit.
  func noteServerClock() {
    for account in accounts { account.looked = max(account.looked, serverClock.now()) }
  }

  /// No stamp is taken that is more than a minute ahead of the server's clock, unless its writer had
  /// seen one that was: then it may be ahead by as much, and by some steps.
  private func checkTimes(of record: Record, _ account: Account) {
    guard record.key.kind != .entitlement, let latest = record.latestTime else { return }
    defer { account.greatest = max(account.greatest, latest) }
    // The server ends an entry of the journal by its own clock, when that shows that it is due.
    guard record.key.kind != .conflict else { return }
    let clock = max(serverClock.now(), account.looked)
    let bound = max(HybridTime(clock.advanced(by: 61_000)).rawValue, account.greatest.rawValue)
    if latest.rawValue > bound + 1000 << 16 {
      broke(
        "the server took a stamp that is \((latest.rawValue - bound) >> 16) ms too far ahead",
        about: record.key)
    }
  }

  private func noteEndedEntry(_ record: Record, _ account: Account) {
    guard record.isDeleted, let live = account.view[record.key], !live.isDeleted,
      let entry = try? Conflict(live), let held = account.view[entry.key],
      let end = record[Register.deletedField]?.stamp.time,
      end >= HybridTime(entry.noticed.advanced(by: Conflict.retentionMilliseconds))
    else { return }
    account.oracle.noteEnd(of: entry, holding: held)
  }

  private func noteJournal(_ record: Record, _ account: Account) {
    guard record.key.kind == .conflict, let entry = try? Conflict(record) else { return }
    count(.conflicts)
    let isNew = account.journal.insert(Oracle.Held(key: entry.key, register: entry.lost)).inserted
    guard isNew, let fault = account.oracle.fault(of: entry) else { return }
    guard !account.oracle.isGranted(entry) else { return count(.falseEntriesExcused) }
    broke(
      "\(fault); field \(entry.field) of kind \(entry.key.kind.rawValue): \(entry.lost.text) lost "
        + "to field \(entry.kept.field) \(entry.kept.text)\n    "
        + account.oracle.story(of: entry.key, entry.field).joined(separator: "\n    "),
      about: entry.key)
  }

  /// A device's stamps grow with its actions, whatever its clock does and however often it starts.
  func checkStamp(_ noted: [Int], _ process: DeviceProcess) {
    guard
      let stamp = noted.compactMap({ process.device.account.oracle.writes[$0].stamps.first }).max()
    else { return }
    if let last = process.device.lastStamp, stamp <= last {
      broke("device \(process.device.index) stamps a later action earlier")
    }
    if process.syncCount == 0 { process.device.lastStamp = stamp }
  }

  /// A device at a cursor holds every record up to it.
  ///
  /// - Parameter syncs: How many syncs may be under way: another one may have learned of a loss,
  ///   and be comparing.
  func checkCursor(_ process: DeviceProcess, besides syncs: Int = 0) {
    guard let server, server.isAlive, !serverDisk.hasEnded, process.syncCount == syncs
    else { return }
    let device = process.device
    do {
      guard let cursor = try process.replica.status().cursor,
        try position(of: cursor.sequence, of: device.account, in: server) == cursor
      else { return }
      var after: UInt64 = 0
      if let checked = device.checked, checked <= cursor.sequence { after = checked }
      let news = try feed(of: device.account, in: server, after: after)
      // Each look at one record is a transaction of its own.
      var view: [RecordKey: Record]?
      if news.count > 3 {
        view = Dictionary(try process.replica.allRecords().map { ($0.key, $0) }) { $1 }
      }
      for stored in news where stored.sequence <= cursor.sequence {
        let record = try Record(decoding: stored.body)
        guard var held = try view?[record.key] ?? process.replica.record(record.key) else {
          return broke(
            "device \(device.index) is at \(cursor.sequence) and lacks \(stored.sequence)",
            about: record.key)
        }
        let before = held
        held.merge(record)
        guard held == before else {
          return broke(
            "device \(device.index) is at \(cursor.sequence) and is behind \(stored.sequence)",
            about: record.key)
        }
      }
      device.checked = cursor.sequence
    } catch {
      if !serverDisk.hasEnded, !device.disk.hasEnded { broke("a view cannot be read: \(error)") }
    }
  }

  // MARK: After an end

  /// What a replica held when its program ended is there when it starts again.
  func compareView(_ process: DeviceProcess) {
    let device = process.device
    guard let held = device.heldAtEnd else { return }
    device.heldAtEnd = nil
    do {
      let view = try DeviceView(process.replica)
      if view != held {
        broke("device \(device.index) held something else before its machine ended")
      }
    } catch {
      broke("device \(device.index) cannot be read: \(error)")
    }
  }

  /// What the server held when it ended is there when it starts again, and so is whatever it
  /// acknowledged.
  func compareFeed(_ process: ServerProcess) {
    do {
      for account in accounts {
        if let held = account.feedAtEnd, try feed(of: account, in: process, after: 0) != held {
          return broke("the server held something else before its machine ended")
        }
        account.feedAtEnd = nil
        let head = try head(of: account, in: process)
        if head < account.seenHead {
          broke("the server stood at \(account.seenHead), and at \(head) after a start")
        }
      }
    } catch {
      broke("the server's feed cannot be read: \(error)")
    }
  }

  // MARK: At the end

  /// The network well, clocks right, disks whole: everybody syncs twice.
  func heal() {
    isHealing = true
    noteServerClock()
    serverDisk.fill(after: nil)
    serverDisk.failSync(after: nil)
    serverClock.set(offset: 0)
    if quota != .standard {
      quota = .standard
      endServer(.killed)
    }
    for device in devices {
      device.process?.stopWatching()
      device.link.isDeaf = false
      device.link.bandwidth = nil
      device.clock.set(offset: 0)
      device.link.cuts = []
      device.link.carriesUp = true
      device.link.carriesDown = true
      device.link.latency = 1_000
      device.link.changed()
      device.disk.fill(after: nil)
      device.disk.failSync(after: nil)
    }
    // What is under way ends, and machines that were to end do.
    scheduler.run(until: scheduler.now + 300_000_000)
    if serverDisk.hasEnded, let server, server.isAlive { server.end(.killed) }
    if server?.isAlive != true {
      server = nil
      startServer()
    }
    server?.freeBytes = nil
    serverDisk.start()
    for device in devices {
      guard running(device) != nil else { return }
      device.disk.start()
    }
    story?.tell("what was under way has ended", of: self)
    for device in devices { syncAlone(device, 0) }
    server?.doHousework(always: true)
    scheduler.run(until: scheduler.now + 60_000_000)
    for round in 1...2 {
      for device in devices { syncAlone(device, round) }
    }
  }

  private func syncAlone(_ device: Device, _ round: Int) {
    guard violation == nil, let process = running(device) else { return }
    var tries = 0
    while tries < 2 {
      tries += 1
      var ending: DeviceProcess.Ending?
      process.sync(Chance(history.seed ^ UInt64(round * 100 + device.index))) { ending = $0 }
      guard scheduler.run(for: 600_000_000, until: { ending != nil }) else {
        return broke("device \(device.index) never ends a sync in a world that is well")
      }
      story?.tell("device \(device.index) syncs, round \(round)", of: self)
      switch ending {
      case .failed(.accessEnded) where serverMayHaveForgotten: continue  // It pairs again.
      case .failed(let error):
        return broke("device \(device.index) cannot sync in a world that is well: \(error)")
      default: return
      }
    }
  }

  /// Everybody holds the same, and nothing is missing or made up.
  func judge() {
    guard let server, server.isAlive else { return broke("there is no server") }
    look()
    for account in accounts where violation == nil { judge(account, server) }
  }

  private func judge(_ account: Account, _ server: ServerProcess) {
    do {
      var records: [Record] = []
      for stored in try feed(of: account, in: server, after: 0) {
        records.append(try Record(decoding: stored.body))
        guard records.last?.encoded == stored.body else {
          return broke("the server keeps a record that is not in canonical form")
        }
        trace(stored.body)
      }
      records.sort { $0.key < $1.key }
      count(.records, records.count)
      for device in devices where device.account === account { compare(device, with: records) }
      if let key = account.oracle.movedByIdentity {
        broke("a new identity moved a write to a later time", about: key)
      }
      guard violation == nil else { return }
      var holdings = Holdings()
      holdings.addJournal(account.journal)
      for record in records {
        holdings.add(record)
        if record[Register.forgottenField] != nil { count(.stripped) }
        checkWhole(record)
        checkOrigin(record, account.oracle)
      }
      guard violation == nil else { return }
      let (lost, excused) = account.oracle.firstLost(holdings)
      count(.lossesExcused, excused)
      if let lost {
        return broke(
          "a write of device \(lost.device) to field \(lost.field) of kind \(lost.key.kind.rawValue) is "
            + "neither visible, nor known to what is, nor in the journal; "
            + story(of: lost, records, account), about: lost.key)
      }
      checkWinners(records, account)
    } catch {
      broke("the server's feed cannot be read: \(error)")
    }
  }

  /// What a person sees can be read by the kind's rules: nothing of it was lost on the way.
  private func checkWhole(_ record: Record) {
    guard !record.isDeleted, record.key.kind != .conflict else { return }
    do { try record.checkKindRules() } catch {
      broke(
        "a record of kind \(record.key.kind.rawValue) is there in part: \(error)", about: record.key
      )
    }
  }

  /// The register that docs/merge.md demands is visible in each field.
  private func checkWinners(_ records: [Record], _ account: Account) {
    if let (visible, later) = account.oracle.firstUndone(records) {
      return broke(
        "a write of device \(visible.device) to field \(visible.field) of kind "
          + "\(visible.key.kind.rawValue) is visible, and one that had seen it is not: #"
          + "value \(later.value.suffix(6)); " + story(of: visible, records, account),
        about: visible.key)
    }
    let byKey = Dictionary(records.map { ($0.key, $0) }) { first, _ in first }
    if let (key, owed) = account.acknowledged.firstBeaten(byKey) {
      broke(
        "field \(owed.field) of kind \(key.kind.rawValue) shows less than the greatest write that was "
          + "acknowledged, \(owed.text)\n    "
          + account.oracle.story(of: key, owed.field).joined(separator: "\n    "), about: key)
    }
  }

  private func story(
    of lost: Oracle.Write, _ records: [Record], _ account: Account
  ) -> String {
    var lines =
      ["value \(lost.value.suffix(6)):"] + account.oracle.story(of: lost.key, lost.field)
    for record in records where record.key == lost.key {
      for register in record.registers {
        lines.append("field \(register.field) is \(register.text)")
      }
    }
    for record in records {
      guard let entry = try? Conflict(record), entry.key == lost.key else { continue }
      lines.append("journal: field \(entry.field) \(entry.lost.text) lost to \(entry.kept.text)")
    }
    return lines.joined(separator: "\n    ")
  }

  private func compare(_ device: Device, with records: [Record]) {
    guard violation == nil, let process = device.process else { return }
    do {
      let held = try process.replica.allRecords().sorted { $0.key < $1.key }
      if held != records {
        let difference = Set(held).symmetricDifference(records)
        return broke(
          "device \(device.index) and the server differ in \(difference.count) records",
          about: difference.map(\.key).min())
      }
      if let first = devices.first(where: { $0.account === device.account })?.process,
        try first.replica.digest() != process.replica.digest()
      {
        return broke("the digests of device \(device.index) and the first of its account differ")
      }
      let waiting = try process.replica.pending()
      if !waiting.isEmpty {
        broke(
          "device \(device.index) still has \(waiting.count) writes to push",
          about: waiting.first?.key)
      }
    } catch {
      broke("device \(device.index) cannot be read: \(error)")
    }
  }

  /// Every value was written by somebody of this account, under a stamp that one of its actions
  /// had. Entries of the journal were judged when they came.
  private func checkOrigin(_ record: Record, _ oracle: Oracle) {
    if record.key.kind == .conflict {
      if !record.isDeleted, (try? Conflict(record)) == nil {
        broke("a journal entry is unreadable")
      }
      return
    }
    for register in record.registers {
      let isKnown =
        register.field == Register.forgottenField
        ? !oracle.deletions(of: record.key, at: register.stamp).isEmpty
        : !oracle.writes(of: register, in: record.key).isEmpty
          && oracle.isAction(register.stamp, on: record.key)
      if !isKnown {
        broke(
          "field \(register.field) of kind \(record.key.kind.rawValue) holds what nobody wrote: "
            + register.text, about: record.key)
      }
    }
  }

  // MARK: Holders

  /// What all devices of an account and the server hold together, what waits included.
  func holdings(of account: Account) -> Holdings? {
    var holdings = Holdings()
    do {
      for device in devices where device.account === account {
        guard let process = running(device) else { return nil }
        for record in try process.replica.allRecords() { holdings.add(record) }
        for offer in try process.replica.waitingOffers() { holdings.add(offer.record) }
      }
      guard let server = serverHoldings(of: account) else { return nil }
      holdings.add(server)
      return holdings
    } catch {
      broke("a holder cannot be read: \(error)")
      return nil
    }
  }

  /// What the server holds; nothing while it does not run.
  func serverHoldings(of account: Account) -> Holdings? {
    var holdings = Holdings()
    do {
      if let server, server.isAlive {
        for stored in try feed(of: account, in: server, after: 0) {
          holdings.add(try Record(decoding: stored.body))
        }
      }
      return holdings
    } catch {
      broke("the server's feed cannot be read: \(error)")
      return nil
    }
  }

  /// What counts as acknowledged once a copy was put back: what somebody still holds, without what
  /// only waits.
  func acknowledgeWhatIsHeld(_ account: Account) {
    account.acknowledged = Acknowledged()
    do {
      for device in devices where device.account === account {
        guard let process = running(device) else { return }
        var waiting: Set<Oracle.Held> = []
        for offer in try process.replica.waitingOffers() {
          for register in offer.record.registers where offer.written.contains(register.field) {
            waiting.insert(Oracle.Held(key: offer.record.key, register: register))
          }
        }
        for record in try process.replica.allRecords() {
          account.acknowledged.note(record, without: waiting)
        }
      }
      guard let server, server.isAlive else { return }
      for stored in try feed(of: account, in: server, after: 0) {
        account.acknowledged.note(try Record(decoding: stored.body))
      }
    } catch {
      broke("a holder cannot be read: \(error)")
    }
  }
}

extension Register {
  /// For people.
  var text: String {
    "\(stamp.text) over \(replaced?.text ?? "nothing") value \(value.suffix(6))"
  }
}
