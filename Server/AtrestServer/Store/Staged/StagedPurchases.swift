// SPDX-License-Identifier: Apache-2.0
// Holders of purchases in a staged transaction.

import AtrestReplication

final class StagedPurchases: PurchaseStore {
  private let staging: Staging

  init(_ staging: Staging) {
    self.staging = staging
  }

  func holder(
    of purchase: PurchaseKey
  ) throws(StoreError) -> (account: AccountID, since: WallTime)? {
    if let change = staging.changes.holders[purchase] {
      return (change.holder.account, change.holder.since)
    }
    return try known(purchase).map { ($0.account, $0.since) }
  }

  func setHolder(
    _ account: AccountID, since: WallTime, of purchase: PurchaseKey
  ) throws(StoreError) {
    try staging.expectWrite(to: account)
    let previous = try known(purchase)?.account
    staging.changes.holders[purchase] = StagedChanges.HolderChange(
      holder: StagedReads.PurchaseHolder(account: account, since: since), previous: previous)
  }

  /// What the database holds, but for accounts that are removed.
  private func known(_ purchase: PurchaseKey) throws(StoreError) -> StagedReads.PurchaseHolder? {
    let known = try staging.value(staging.reads.holders[purchase]) {
      $0.holders.insert(purchase)
    }
    return known.flatMap { staging.isRemoved($0.account) ? nil : $0 }
  }

  func appAccountToken(
    of account: AccountID, orElse token: [UInt8]
  ) throws(StoreError) -> [UInt8]? {
    if let new = staging.changes.appAccountTokens[account] { return new }
    try staging.expectLock(on: account)
    let known = try staging.value(staging.reads.appAccountTokens[account]) {
      $0.appAccountTokens.insert(account)
    }
    if let known { return known }
    guard !staging.changes.appAccountTokens.values.contains(token) else { return nil }
    let holder = try staging.value(staging.reads.appAccounts[token]) {
      $0.appAccounts.insert(token)
    }
    guard holder.map({ staging.isRemoved($0) }) ?? true else { return nil }
    try staging.expectWrite(to: account)
    staging.changes.appAccountTokens[account] = token
    return token
  }
}
