// SPDX-License-Identifier: Apache-2.0
// The invariants that hold at all times and after each end of a program.

import AtrestClient
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

extension World {
  /// Checks the server's commits since the last check.
  func look() {
    guard violation == nil, isReadable else { return }
    for account in accounts { look(at: account) }
  }

  private func look(at account: Account) {
    do {
      let head = try head(of: account)
      let seen = account.seenHead
      guard head >= seen else { return broke("the feed went back: \(seen), then \(head)") }
      defer { (account.looked, account.lookedAt) = (serverClock.now(), scheduler.now) }
      guard head > seen else { return }
      var last = seen
      for stored in try feed(of: account, after: seen) {
        guard stored.sequence > last, stored.sequence <= head else {
          return broke("the feed's sequence \(stored.sequence) lies outside \(last)...\(head)")
        }
        last = stored.sequence
        let record = try Record(decoding: stored.body)
        checkTimes(of: record, account)
        account.oracle.noteCommitted(account.view[record.key], record)
        noteEndedEntry(record, account)
        if record.key.kind == .conflict, account.entered[record.key] == nil {
          account.entered[record.key] = account.lookedAt
        }
        checkRetention(of: record, account)
        account.view[record.key] = record
        noteJournal(record, account)
      }
      account.seenHead = head
    } catch {
      // The machine may end inside this read transaction.
      if !serverDisk.hasEnded { broke("the server's feed cannot be read: \(error)") }
    }
  }

  /// Notes journal entries that are found when the server starts. Entries committed at its end may
  /// expire at once. They may also still be lost with the power, but then no writer was told that
  /// the write was accepted.
  func noteFoundJournal(_ server: ServerProcess) {
    for account in accounts {
      do {
        for stored in try feed(of: account, after: account.seenHead) {
          noteJournal(try Record(decoding: stored.body), account)
        }
      } catch {
        if !serverDisk.hasEnded { broke("the server's feed cannot be read: \(error)") }
      }
    }
  }

  /// Entries committed while the server's clock is being set may have either date. The same holds
  /// for entries found at the start of a server that ended inside a commit.
  func noteServerClock() {
    for account in accounts { account.looked = max(account.looked, serverClock.now()) }
    earlierClocks.append((scheduler.now, serverClock.now()))
  }

  /// What the server's clock may have shown when a transaction ran that is visible now. One with a
  /// database may have waited for a minute.
  private var recentClocks: [WallTime] {
    guard database != nil else { return [serverClock.now()] }
    earlierClocks.removeAll { $0.at < scheduler.now - 120_000_000 }
    return [serverClock.now(), serverClock.now().advanced(by: -60_000)]
      + earlierClocks.flatMap { [$0.clock, $0.clock.advanced(by: -60_000)] }
  }

  private var latestClock: WallTime { recentClocks.max() ?? serverClock.now() }

  /// Checks that no accepted stamp is more than a minute ahead of the server's clock, unless its
  /// writer had seen one that was. Then it may be ahead by as much plus some ticks.
  private func checkTimes(of record: Record, _ account: Account) {
    guard record.key.kind != .entitlement, let latest = record.latestTime else { return }
    defer { account.greatest = max(account.greatest, latest) }
    // The server expires a journal entry by its own clock when that shows that it is due.
    guard record.key.kind != .conflict else { return }
    let clock = max(latestClock, account.looked)
    let bound = max(HybridTime(clock.advanced(by: 61_000)).rawValue, account.greatest.rawValue)
    if latest.rawValue > bound + 1000 << 16 {
      broke(
        "the server took a stamp that is \((latest.rawValue - bound) >> 16) ms too far ahead",
        about: record.key)
    }
  }

  /// Counts what an entry listed as found if the server kept the entry for 90 days of true time. If
  /// the server ended it earlier, that is owed again.
  private func noteEndedEntry(_ record: Record, _ account: Account) {
    guard record.isDeleted, let live = account.view[record.key], !live.isDeleted,
      let entry = try? Conflict(live), let entered = account.entered[record.key]
    else { return }
    if (scheduler.now - entered) / 1000 >= Conflict.retentionMilliseconds {
      account.oracle.noteEnd(of: entry)
    } else if record.floor != nil {
      // What a person put away is pruned by a later commit.
      account.journal.subtract(entry.losses)
    }
  }

  /// Checks that a deleted record was kept whole for its time: an edit may bring it back.
  private func checkRetention(of record: Record, _ account: Account) {
    guard record.key.kind != .conflict, record.isDeleted else { return }
    if let floor = record.floor, account.view[record.key]?.floor != floor,
      let taken = account.deleted[record.key]?[floor.stamp],
      (scheduler.now - taken) / 1000 < 30 * 24 * 3600 * 1000
    {
      broke("a deleted record was pruned before its time", about: record.key)
    }
    guard let deletion = record[Register.deletedField]?.stamp else { return }
    let known = account.deleted[record.key]?[deletion]
    account.deleted[record.key, default: [:]][deletion] = known ?? account.lookedAt
  }

  private func noteJournal(_ record: Record, _ account: Account) {
    guard record.key.kind == .conflict, let entry = try? Conflict(record) else { return }
    count(.conflicts)
    let isNew = !account.journal.contains(Oracle.Held(key: entry.key, register: entry.lost))
    account.journal.formUnion(entry.losses)
    account.entries[entry.key, default: []].insert(entry)
    checkParts(of: entry, account)
    guard isNew, let fault = account.oracle.fault(of: entry) else { return }
    let isGranted = account.oracle.isGranted(entry, wasPutBack: serverMayHaveForgotten)
    guard !isGranted else { return count(.falseEntriesExcused) }
    broke(
      "\(fault); field \(entry.field) of kind \(entry.key.kind.rawValue): \(entry.lost.text) lost "
        + "to field \(entry.kept.field) \(entry.kept.text)\n    "
        + account.oracle.story(of: entry.key, entry.field).joined(separator: "\n    "),
      about: entry.key)
  }

  /// Checks that what the entry of an action includes has no second entry from the same merge.
  private func checkParts(of entry: Conflict, _ account: Account) {
    let merged = (account.entries[entry.key] ?? []).filter {
      $0.lost.stamp == entry.lost.stamp && $0.noticed == entry.noticed && $0.record == entry.record
    }
    let actions = merged.filter(\.isAction)
    // Field 1 of an offer has its greatest stamp. What lost to a greater one lost to a later offer
    // of the same request.
    let part = merged.first { part in
      part.field != Register.deletedField && part.record?[part.field] == part.lost
        && actions.contains { part.kept.stamp <= $0.kept.stamp }
    }
    if let part { broke("field \(part.field) is listed beside its action", about: entry.key) }
  }

  /// Checks that a device's stamps increase with its actions, whatever its clock does and however
  /// often it restarts.
  func checkStamp(_ noted: [Int], _ process: DeviceProcess) {
    guard
      let stamp = noted.compactMap({ process.device.account.oracle.writes[$0].stamps.first }).max()
    else { return }
    if let last = process.device.lastStamp, stamp <= last {
      broke("device \(process.device.index) stamps a later action earlier")
    }
    if process.syncCount == 0 { process.device.lastStamp = stamp }
  }

  /// Checks that a device holds every record up to its cursor.
  ///
  /// - Parameter syncs: The number of syncs that may be running. Another one may have detected a
  ///   loss and be reconciling.
  func checkCursor(_ process: DeviceProcess, besides syncs: Int = 0) {
    guard isReadable, process.syncCount == syncs else { return }
    let device = process.device
    do {
      guard let cursor = try process.replica.status().cursor,
        try position(of: cursor.sequence, of: device.account) == cursor
      else { return }
      var after: UInt64 = 0
      if let checked = device.checked, checked <= cursor.sequence { after = checked }
      let news = try feed(of: device.account, after: after)
      // Each read of one record is a separate transaction.
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

  /// Checks that a replica still holds what it held when its program ended.
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

  /// Owes a write that ended without a result if a person sees it after the next start.
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

  /// Checks that the server still holds what it held when it ended, and everything that it
  /// acknowledged.
  func compareFeed(_ process: ServerProcess) {
    do {
      for account in accounts {
        if let held = account.feedAtEnd, try feed(of: account, after: 0) != held {
          return broke("the server held something else before its machine ended")
        }
        account.feedAtEnd = nil
        let head = try head(of: account)
        if head < account.seenHead {
          broke("the server stood at \(account.seenHead), and at \(head) after a start")
        }
      }
    } catch {
      broke("the server's feed cannot be read: \(error)")
    }
  }
}
