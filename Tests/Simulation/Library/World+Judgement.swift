// SPDX-License-Identifier: Apache-2.0
// Heals the world, then checks that all replicas are equal and that nothing is missing or invented.

import AtrestClient
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

extension World {
  /// Repairs the network, clocks and disks, and syncs every device twice.
  func heal() {
    isHealing = true
    noteServerClock()
    serverDisk.fill(after: nil)
    serverDisk.failSync(after: nil)
    serverClock.set(offset: 0)
    database?.heal()
    if quota != .standard {
      quota = .standard
      endServer(.killed)
    }
    // Any of several servers may have kept an older quota.
    if history.setsQuotas { endNodes() }
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
    // Operations in progress end, and so do machines that were to end. Pairing codes expire after
    // five minutes, plus the one that the server's clock may have been ahead.
    scheduler.run(until: scheduler.now + 361_000_000)
    if serverDisk.hasEnded, let server, server.isAlive { server.end(.killed) }
    if server?.isAlive != true {
      server = nil
      startServer()
    }
    // Those of a database have to listen, and it may just have come back.
    if database != nil { scheduler.run(until: scheduler.now + 60_000_000) }
    server?.freeBytes = nil
    serverDisk.start()
    for device in devices {
      guard running(device) != nil else { return }
      device.disk.start()
    }
    story?.tell("what was under way has ended", of: self)
    for device in devices { syncAlone(device, 0) }
    (server ?? nodes.first ?? nil)?.doHousework(always: true)
    scheduler.run(until: scheduler.now + 60_000_000)
    for round in 1...2 {
      for device in devices { syncAlone(device, round) }
    }
  }

  private func syncAlone(_ device: Device, _ round: Int) {
    guard violation == nil, let process = running(device) else { return }
    // A server may not have heard yet what another one committed, and is believed for ten seconds.
    if database != nil { scheduler.run(until: scheduler.now + 11_000_000) }
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

  /// Checks that all replicas are equal and that nothing is missing or invented.
  func judge() {
    guard isReadable else { return broke("there is no server") }
    checkEvents()
    look()
    for account in accounts where violation == nil { judge(account) }
  }

  private func judge(_ account: Account) {
    do {
      var records: [Record] = []
      for stored in try feed(of: account, after: 0) {
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
        if record.floor != nil { count(.pruned) }
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

  /// Checks that visible records follow their kind's rules, so that no part was lost.
  private func checkWhole(_ record: Record) {
    guard !record.isDeleted, record.key.kind != .conflict else { return }
    do { try record.checkKindRules() } catch {
      broke(
        "a record of kind \(record.key.kind.rawValue) is there in part: \(error)", about: record.key
      )
    }
  }

  /// Checks that each field shows the register that docs/protocol/merge.md demands.
  private func checkWinners(_ records: [Record], _ account: Account) {
    if let (visible, later) = account.oracle.firstUndone(records) {
      return broke(
        "a write of device \(visible.device) to field \(visible.field) of kind "
          + "\(visible.key.kind.rawValue) is visible, and one that had seen it is not: #"
          + "value \(later.value.suffix(6)); " + story(of: visible, records, account),
        about: visible.key)
    }
    let byKey = Dictionary(records.map { ($0.key, $0) }) { first, _ in first }
    if let (key, owed) = account.acknowledged.firstBeaten(byKey, as: account.oracle) {
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

  /// Checks that every value was written in this account, under a stamp of one of its actions.
  /// Journal entries are checked on arrival.
  private func checkOrigin(_ record: Record, _ oracle: Oracle) {
    if record.key.kind == .conflict {
      guard !record.isDeleted else { return }
      guard let lost = (try? Conflict(record))?.record else {
        return broke("a journal entry is unreadable, or does not hold its record")
      }
      return checkOrigin(lost, oracle)
    }
    for register in record.registers {
      let isKnown =
        register.field == Register.pruneFloorField
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
}

extension Register {
  /// A description for people.
  var text: String {
    "\(stamp.text) over \(replaced?.text ?? "nothing") value \(value.suffix(6))"
  }
}
