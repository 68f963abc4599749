// SPDX-License-Identifier: Apache-2.0
// What must hold all the time, and after each end of a program.

import AtrestClient
import AtrestProtocol
import AtrestReplication
import AtrestServer
import Foundation

extension World {
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
        if record.key.kind == .conflict, account.view[record.key] == nil {
          account.entered[record.key] = min(account.looked, serverClock.now())
        }
        account.view[record.key] = record
        noteJournal(record, account)
      }
      account.seenHead = head
    } catch {
      // The machine may end inside this very read's transaction.
      if !serverDisk.hasEnded { broke("the server's feed cannot be read: \(error)") }
    }
  }

  /// What was committed when the server ended is there when it starts, and may be due for its end
  /// at once. It may also still go with the power; but then nobody was told that his write was
  /// taken.
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

  /// What is being committed while the server's clock is set may be dated by either; so may what is
  /// found when a server starts that ended in a commit.
  func noteServerClock() {
    for account in accounts { account.looked = max(account.looked, serverClock.now()) }
  }

  /// No stamp is taken that is more than a minute ahead of the server's clock, unless its writer
  /// had seen one that was: then it may be ahead by as much, and by some steps.
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
      let end = record[Register.deletedField]?.stamp.time
    else { return }
    // An entry that claims to be younger than it is to this server counts from when it came.
    let began = min(entry.noticed, account.entered[record.key] ?? entry.noticed)
    guard end >= HybridTime(began.advanced(by: Conflict.retentionMilliseconds)) else { return }
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

  /// A write that ended without an answer, and that a person sees after the next start, is as good
  /// as any other.
  func oweShown(_ process: DeviceProcess) {
    let device = process.device
    guard !device.unanswered.isEmpty else { return }
    do {
      let records = try DeviceView(process.replica).records
      let oracle = device.account.oracle
      let shown = device.unanswered.filter { id in
        let write = oracle.writes[id]
        guard let register = records[write.key]?[write.field] else { return false }
        return oracle.writes(
          of: Oracle.Held(key: write.key, register: register, family: device.family)
        ).contains(id)
      }
      device.account.oracle.owe(shown)
      device.unanswered = []
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
}
