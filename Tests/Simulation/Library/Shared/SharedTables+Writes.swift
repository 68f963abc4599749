// SPDX-License-Identifier: Apache-2.0
// Writes what a transaction changed, or fails as PostgreSQL would: what was expected is not so, or
// a key is taken.

import AtrestPostgreSQL
import AtrestReplication
import AtrestServer
import AtrestWire

extension PostgresError {
  /// `atrest.expect`, or a serialization failure.
  static let conflict = answer(sqlState: "40001", "a row was changed meanwhile")
  static let deadlock = answer(sqlState: "40P01", "deadlock detected")
  static let keyTaken = answer(sqlState: "23505", "a key is taken")
  static let diskFull = answer(sqlState: "53100", "no space left on device")
}

extension SharedTables {
  /// Writes in the order of `PostgresWrites`.
  ///
  /// - Throws: The tables are then in a state that must be thrown away.
  mutating func write(
    _ changes: StagedChanges, touching locked: Set<AccountID>
  ) throws(PostgresError) {
    remove(changes.removedAccounts)
    try add(changes.addedAccounts)
    try write(changes.records)
    try name(changes.feeds)
    try writeDevices(changes)
    try writeInvitations(changes)
    try writeHolders(changes)
    try touch(changes, locked)
    for entry in changes.events.values.joined().sorted(by: { $0.number < $1.number }) {
      let end = events.lastIndex { $0.number <= entry.number }
      if let end, events[end].number == entry.number { throw .keyTaken }
      events.insert(entry, at: end.map { $0 + 1 } ?? 0)
    }
    attempts.merge(changes.attempts) { $1 }
    for (account, count) in changes.prunedCommits { prune(account, keeping: count) }
  }

  private mutating func remove(_ ids: Set<AccountID>) {
    for id in ids where id != Self.server {
      accounts[id] = nil
      records[id] = nil
      commits[id] = nil
      devices = devices.filter { $0.value.entry.account != id }
      invitations = invitations.filter { $0.value.account != id }
      holders = holders.filter { $0.value.account != id }
    }
  }

  private mutating func add(
    _ added: [AccountID: StagedChanges.AddedAccount]
  ) throws(PostgresError) {
    for (id, account) in added {
      guard accounts[id] == nil, !accounts.values.contains(where: { $0.name == account.name })
      else { throw .keyTaken }
      accounts[id] = Account(name: account.name, created: account.created)
    }
  }

  private mutating func write(
    _ changes: [RecordAddress: RecordChange]
  ) throws(PostgresError) {
    for (address, change) in changes {
      let known = records[address.account]?[address.key]
      if let previous = change.previous {
        guard known?.sequence == previous else { throw .conflict }
      } else if known != nil {
        throw .keyTaken
      }
      records[address.account, default: [:]][address.key] = change.record
    }
    for account in Set(changes.keys.map(\.account)) {
      let rows = records[account] ?? [:]
      guard Set(rows.values.map(\.sequence)).count == rows.count else { throw .keyTaken }
    }
  }

  private mutating func name(_ feeds: [AccountID: FeedChange]) throws(PostgresError) {
    for (account, change) in feeds {
      guard let head = change.head else { continue }
      var list = commits[account] ?? []
      let end = list.lastIndex { $0.sequence <= head.sequence }
      if let end, list[end].sequence == head.sequence { throw .keyTaken }
      list.insert(
        Commit(sequence: head.sequence, name: head.commit), at: end.map { $0 + 1 } ?? 0)
      commits[account] = list
    }
  }

  private mutating func writeDevices(_ changes: StagedChanges) throws(PostgresError) {
    for (replica, entry) in changes.addedDevices {
      guard devices[replica] == nil else { throw .keyTaken }
      var entry = entry
      entry.progress = DeviceProgress()
      devices[replica] = Device(entry: entry)
    }
    // What is gone is not updated, and is no error.
    func change(_ address: DeviceAddress, _ change: (inout Device) -> Void) {
      guard var device = devices[address.replica], device.entry.account == address.account
      else { return }
      change(&device)
      devices[address.replica] = device
    }
    for (address, seen) in changes.seen {
      change(address) { $0.entry.seen = max($0.entry.seen ?? seen, seen) }
    }
    for (address, progress) in changes.progress { change(address) { $0.entry.progress = progress } }
    for (address, outbox) in changes.outboxes { change(address) { $0.outbox = outbox } }
    for (address, name) in changes.names { change(address) { $0.entry.name = name } }
    for (address, time) in changes.revocations {
      change(address) { $0.entry.revoked = $0.entry.revoked ?? time }
    }
  }

  private mutating func writeInvitations(_ changes: StagedChanges) throws(PostgresError) {
    for handle in changes.removedInvitations { invitations[handle] = nil }
    for (handle, invitation) in changes.addedInvitations {
      guard invitations[handle] == nil else { throw .keyTaken }
      invitations[handle] = invitation
    }
    for (handle, invitation) in changes.changedInvitations {
      guard var known = invitations[handle], known.account == invitation.account else {
        throw .conflict
      }
      known.triesLeft = invitation.triesLeft
      known.usedBy = invitation.usedBy
      known.pending = invitation.pending
      invitations[handle] = known
    }
  }

  private mutating func writeHolders(_ changes: StagedChanges) throws(PostgresError) {
    for (purchase, change) in changes.holders {
      guard holders[purchase]?.account == change.previous else {
        throw change.previous == nil ? .keyTaken : .conflict
      }
      holders[purchase] = change.holder
    }
    for (account, token) in changes.appAccountTokens {
      guard var row = accounts[account], row.token == nil else { throw .conflict }
      guard !accounts.values.contains(where: { $0.token == token }) else { throw .keyTaken }
      row.token = token
      accounts[account] = row
    }
  }

  private mutating func touch(
    _ changes: StagedChanges, _ locked: Set<AccountID>
  ) throws(PostgresError) {
    let required = changes.writtenAccounts
    for id in locked.union(required) {
      guard var row = accounts[id] else {
        if required.contains(id) { throw .conflict }
        continue
      }
      if let feed = changes.feeds[id] {
        row.state.head = feed.head ?? row.state.head
        row.state.latestTime = max(row.state.latestTime, feed.latestTime)
        let sum = row.state.holdings + feed.holdings
        row.state.holdings = AtrestServer.Holdings(
          live: max(0, sum.live), records: max(0, sum.records), bytes: max(0, sum.bytes))
        row.state.deletions = feed.deletions ?? row.state.deletions
      }
      accounts[id] = row
    }
  }

  /// A device that acknowledged what is not there keeps every name.
  private mutating func prune(_ account: AccountID, keeping count: Int) {
    let list = commits[account] ?? []
    let newer = max(1, count) - 1
    guard list.count > newer else { return }
    let oldest = list[list.count - 1 - newer].sequence
    var kept: Set<UInt64> = []
    for device in devices(of: account) where device.revoked == nil {
      for named in [device.progress.acknowledgedSequence, device.progress.toldSequence] {
        guard let commit = list.first(where: { $0.sequence >= named }) else { return }
        kept.insert(commit.sequence)
      }
    }
    commits[account] = list.filter { $0.sequence >= oldest || kept.contains($0.sequence) }
  }
}

extension StagedChanges {
  /// The accounts that must exist: see `PostgresWrites`.
  var writtenAccounts: Set<AccountID> {
    var accounts = Set(feeds.keys).union(appAccountTokens.keys)
    accounts.formUnion(records.keys.lazy.map(\.account))
    accounts.formUnion(addedDevices.values.lazy.map(\.account))
    accounts.formUnion(addedInvitations.values.lazy.map(\.account))
    accounts.formUnion(holders.values.lazy.map(\.holder.account))
    return accounts
  }

  /// The accounts whose rows of any kind are written, and that have to be locked for it.
  var ownedAccounts: Set<AccountID> {
    var accounts = writtenAccounts.union(prunedCommits.keys).union(events.keys)
    accounts.formUnion(removedAccounts)
    accounts.formUnion(changedInvitations.values.lazy.map(\.account))
    for addresses in [
      Set(revocations.keys), Set(names.keys), Set(seen.keys), Set(progress.keys),
      Set(outboxes.keys),
    ] {
      accounts.formUnion(addresses.lazy.map(\.account))
    }
    return accounts.subtracting(addedAccounts.keys)
  }
}
