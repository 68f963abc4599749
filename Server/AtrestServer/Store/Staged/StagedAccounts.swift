// SPDX-License-Identifier: Apache-2.0
// Accounts of a staged transaction.

import AtrestReplication
import AtrestWire

final class StagedAccounts: AccountStore {
  private let staging: Staging

  init(_ staging: Staging) {
    self.staging = staging
  }

  // MARK: Their list

  func add(name: String, created: WallTime) throws(StoreError) -> AccountID? {
    guard try id(named: name) == nil, !staging.reads.reservedNames.contains(name) else {
      return nil
    }
    let id = try staging.value(staging.reads.accountNumbers[name]) {
      $0.accountNumbers.insert(name)
    }
    staging.changes.addedAccounts[id] = StagedChanges.AddedAccount(name: name, created: created)
    return id
  }

  func id(named name: String) throws(StoreError) -> AccountID? {
    if let added = staging.changes.addedAccounts.first(where: { $0.value.name == name }) {
      return added.key
    }
    let known = try staging.value(staging.reads.accountNames[name]) {
      $0.accountNames.insert(name)
    }
    return known.flatMap { staging.isRemoved($0) ? nil : $0 }
  }

  func find(_ id: AccountID) throws(StoreError) -> AccountEntry? {
    if let added = staging.changes.addedAccounts[id] { return try current(entry(id, added)) }
    guard !staging.isRemoved(id) else { return nil }
    let known = try staging.value(staging.reads.accounts[id]) { $0.accounts.insert(id) }
    return try known.map { known throws(StoreError) in try current(known) }
  }

  func list() throws(StoreError) -> [AccountEntry] {
    let known = try staging.value(staging.reads.everyAccount) { $0.everyAccount = true }
    let added = staging.changes.addedAccounts.map { entry($0, $1) }
    return try (known.filter { !staging.isRemoved($0.id) } + added)
      .map { entry throws(StoreError) in try current(entry) }.sorted { $0.name < $1.name }
  }

  private func entry(_ id: AccountID, _ added: StagedChanges.AddedAccount) -> AccountEntry {
    AccountEntry(
      id: id, name: added.name, created: added.created, head: .start, devices: 0, records: 0,
      bytes: 0)
  }

  /// An entry with what this transaction changed of it.
  private func current(_ entry: AccountEntry) throws(StoreError) -> AccountEntry {
    var entry = entry
    if let change = staging.changes.feeds[entry.id] {
      entry.head = change.head ?? entry.head
      entry.records = max(0, entry.records + change.holdings.records)
      entry.bytes = max(0, entry.bytes + change.holdings.bytes)
    }
    let added = staging.changes.addedDevices.values.filter { $0.account == entry.id }
    entry.devices += added.count { $0.revoked == nil }
    guard staging.changes.revocations.keys.contains(where: { $0.account == entry.id }) else {
      return entry
    }
    // Only the list of devices says which revocations are their first.
    var known: [DeviceEntry] = []
    if staging.changes.addedAccounts[entry.id] == nil {
      known = try staging.value(staging.reads.deviceLists[entry.id]) {
        $0.deviceLists.insert(entry.id)
      }
    }
    entry.devices -= (known + added).count {
      $0.revoked == nil && staging.changes.revocations[$0.address] != nil
    }
    return entry
  }

  func remove(_ id: AccountID) throws(StoreError) {
    try staging.expectWrite(to: id)
    staging.removeChanges(of: id)
    if staging.changes.addedAccounts.removeValue(forKey: id) == nil {
      staging.changes.removedAccounts.insert(id)
    }
  }

  // MARK: Their feeds

  func feedStates(of accounts: [AccountID]) throws(StoreError) -> [FeedState] {
    var states: [FeedState] = []
    for account in accounts {
      guard staging.changes.addedAccounts[account] == nil, !staging.isRemoved(account) else {
        states.append(advanced(.empty, account))
        continue
      }
      try staging.expectLock(on: account)
      guard let known = staging.reads.feedStates[account] else {
        throw staging.miss { $0.feedStates.formUnion(missing(of: accounts)) }
      }
      states.append(advanced(known, account))
    }
    return states
  }

  private func missing(of accounts: [AccountID]) -> [AccountID] {
    accounts.filter {
      staging.reads.feedStates[$0] == nil && staging.changes.addedAccounts[$0] == nil
        && !staging.isRemoved($0)
    }
  }

  private func advanced(_ state: FeedState, _ account: AccountID) -> FeedState {
    guard let change = staging.changes.feeds[account] else { return state }
    var state = state
    state.head = change.head ?? state.head
    state.latestTime = max(state.latestTime, change.latestTime)
    state.holdings = state.holdings + change.holdings
    state.deletions = change.deletions ?? state.deletions
    return state
  }

  func advance(_ changes: [FeedChange]) throws(StoreError) {
    for change in changes {
      try staging.expectWrite(to: change.account)
      guard var sum = staging.changes.feeds[change.account] else {
        staging.changes.feeds[change.account] = change
        continue
      }
      sum.head = change.head ?? sum.head
      sum.latestTime = max(sum.latestTime, change.latestTime)
      sum.holdings = sum.holdings + change.holdings
      sum.deletions = change.deletions ?? sum.deletions
      staging.changes.feeds[change.account] = sum
    }
  }

  func position(of sequence: UInt64, account: AccountID) throws(StoreError) -> Cursor? {
    guard sequence > 0 else { return .start }
    guard !staging.isRemoved(account) else { return nil }
    try staging.expectLock(on: account)
    let position = FeedPosition(account: account, sequence: sequence)
    let known = try staging.value(staging.reads.positions[position]) {
      $0.positions.insert(position)
    }
    // A sequence beyond the head that was read belongs to this transaction's commit, if any.
    if let known { return known }
    guard let head = staging.changes.feeds[account]?.head, sequence <= head.sequence else {
      return nil
    }
    return Cursor(commit: head.commit, sequence: sequence)
  }

  func pruneCommits(of account: AccountID, keeping count: Int) throws(StoreError) {
    try staging.expectWrite(to: account)
    staging.changes.prunedCommits[account] = max(1, count)
  }
}

extension Staging {
  /// Takes back what the transaction did to an account that it removes.
  fileprivate func removeChanges(of account: AccountID) {
    changes.feeds[account] = nil
    changes.prunedCommits[account] = nil
    changes.records = changes.records.filter { $0.key.account != account }
    changes.addedDevices = changes.addedDevices.filter { $0.value.account != account }
    changes.revocations = changes.revocations.filter { $0.key.account != account }
    changes.names = changes.names.filter { $0.key.account != account }
    changes.seen = changes.seen.filter { $0.key.account != account }
    changes.progress = changes.progress.filter { $0.key.account != account }
    changes.outboxes = changes.outboxes.filter { $0.key.account != account }
    changes.addedInvitations = changes.addedInvitations.filter { $0.value.account != account }
    changes.changedInvitations = changes.changedInvitations.filter { $0.value.account != account }
    changes.holders = changes.holders.filter { $0.value.holder.account != account }
    changes.appAccountTokens[account] = nil
  }
}
