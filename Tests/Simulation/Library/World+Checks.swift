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
    guard let server, server.isAlive, !serverDisk.hasEnded else { return }
    do {
      let head = try head(of: server)
      guard head >= seenHead else { return broke("the feed went back: \(seenHead), then \(head)") }
      var last = seenHead
      for stored in try feed(of: server, after: seenHead) {
        guard stored.sequence > last, stored.sequence <= head else {
          return broke("the feed's sequence \(stored.sequence) lies outside \(last)...\(head)")
        }
        last = stored.sequence
        noteJournal(try Record(decoding: stored.body))
      }
      seenHead = head
    } catch {
      // The machine may end inside this very read's transaction.
      if !serverDisk.hasEnded { broke("the server's feed cannot be read: \(error)") }
    }
  }

  private func noteJournal(_ record: Record) {
    guard record.key.kind == .conflict, let entry = try? Conflict(record) else { return }
    count(.conflicts)
    journal.insert(Oracle.Place(key: entry.key, field: entry.field, value: entry.lost.value))
  }

  /// A device's stamps grow with its actions, whatever its clock does and however often it starts.
  func checkStamp(_ noted: [Int], _ process: DeviceProcess) {
    guard let stamp = noted.map({ oracle.writes[$0].stamp }).max() else { return }
    if let last = process.device.lastStamp, stamp <= last {
      broke("device \(process.device.index) stamps a later action earlier")
    }
    if process.syncCount == 0 { process.device.lastStamp = stamp }
  }

  /// A device that stands at a cursor holds every record up to it.
  func checkCursor(_ process: DeviceProcess) {
    // Another sync may have learned of a loss, and be comparing.
    guard let server, server.isAlive, !serverDisk.hasEnded, process.syncCount == 0 else { return }
    let device = process.device
    do {
      guard let cursor = try process.replica.status().cursor, cursor.epoch == server.store.epoch
      else { return }
      var after: UInt64 = 0
      if let checked = device.checked, checked <= cursor.sequence { after = checked }
      for stored in try feed(of: server, after: after) where stored.sequence <= cursor.sequence {
        let record = try Record(decoding: stored.body)
        guard var held = try process.replica.record(record.key) else {
          return broke(
            "device \(device.index) stands at \(cursor.sequence) and lacks \(stored.sequence)")
        }
        let before = held
        held.merge(record)
        guard held == before else {
          return broke(
            "device \(device.index) stands at \(cursor.sequence) and is behind \(stored.sequence)")
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

  /// What the server held when it ended is there when it starts again, and so is whatever it acknowledged.
  func compareFeed(_ process: ServerProcess) {
    do {
      if let held = feedAtEnd, try feed(of: process, after: 0) != held {
        return broke("the server held something else before its machine ended")
      }
      feedAtEnd = nil
      let head = try head(of: process)
      if head < seenHead { broke("the server stood at \(seenHead), and at \(head) after a start") }
    } catch {
      broke("the server's feed cannot be read: \(error)")
    }
  }

  // MARK: At the end

  /// The network well, clocks right, disks whole: everybody syncs twice.
  func heal() {
    isHealing = true
    serverDisk.fill(after: nil)
    serverDisk.failSync(after: nil)
    serverClock.set(offset: 0)
    for device in devices {
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
    do {
      var records: [Record] = []
      for stored in try feed(of: server, after: 0) {
        records.append(try Record(decoding: stored.body))
        guard records.last?.encoded == stored.body else {
          return broke("the server keeps a record that is not in canonical form")
        }
        trace(stored.body)
      }
      records.sort { $0.key < $1.key }
      count(.records, records.count)
      for device in devices { compare(device, with: records) }
      look()
      guard violation == nil else { return }
      var holdings = Holdings()
      holdings.addJournal(journal)
      for record in records {
        holdings.add(record)
        if record[Register.forgottenField] != nil { count(.stripped) }
        checkOrigin(record)
      }
      if let lost = oracle.firstLost(holdings) {
        broke(
          "a write of device \(lost.device) to field \(lost.field) of kind \(lost.key.kind.rawValue) is "
            + "neither visible, nor known to what is, nor in the journal; "
            + story(of: lost, records), about: lost.key)
      }
    } catch {
      broke("the server's feed cannot be read: \(error)")
    }
  }

  private func story(of lost: Oracle.Write, _ records: [Record]) -> String {
    var lines = ["lost value \(lost.value.suffix(6)):"] + oracle.story(of: lost.key, lost.field)
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
      if process.device.index > 0, let first = devices[0].process,
        try first.replica.digest() != process.replica.digest()
      {
        return broke("the digests of device 0 and device \(device.index) differ")
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

  /// Every value was written by somebody.
  private func checkOrigin(_ record: Record) {
    if record.key.kind == .conflict {
      if record.isDeleted { return }
      guard let entry = try? Conflict(record) else { return broke("a journal entry is unreadable") }
      for register in [entry.lost, entry.kept] where !oracle.isKnown(register, entry.key) {
        broke("the journal holds a write that nobody made")
      }
      return
    }
    for register in record.registers where !oracle.isKnown(register, record.key) {
      broke("a record of kind \(record.key.kind.rawValue) holds a value that nobody wrote")
    }
  }

  // MARK: Holders

  /// What all devices and the server hold together, what waits included.
  func holdings() -> Holdings? {
    var holdings = Holdings()
    do {
      for device in devices {
        guard let process = running(device) else { return nil }
        for record in try process.replica.allRecords() { holdings.add(record) }
        for offer in try process.replica.waitingOffers() { holdings.add(offer.record) }
      }
      guard let server = serverHoldings() else { return nil }
      holdings.add(server)
      return holdings
    } catch {
      broke("a holder cannot be read: \(error)")
      return nil
    }
  }

  /// What the server holds; nothing while it does not run.
  func serverHoldings() -> Holdings? {
    var holdings = Holdings()
    do {
      if let server, server.isAlive {
        for stored in try feed(of: server, after: 0) {
          holdings.add(try Record(decoding: stored.body))
        }
      }
      return holdings
    } catch {
      broke("the server's feed cannot be read: \(error)")
      return nil
    }
  }
}

extension Register {
  /// For people.
  var text: String {
    "\(stamp.text) over \(replaced?.text ?? "nothing") value \(value.suffix(6))"
  }
}
