// SPDX-License-Identifier: Apache-2.0
// Loads pairing codes, and who holds purchases and tokens of the App Store.

import AtrestPostgreSQL
import AtrestReplication

extension PostgresLoad {
  private static let invitationColumns = """
    i.handle, i.secret_hash, i.account, i.expires_ms, i.tries_left, i.inviter, i.needs_approval,
    i.used_by, i.pending_handle, i.pending_name, i.pending_digits, i.pending_token_hash,
    i.pending_since_ms
    """

  static func invitations(_ handles: Set<String>) -> Part? {
    guard !handles.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT \(invitationColumns) FROM atrest.invitation AS i WHERE i.handle = ANY ($1)",
      [.wanted(handles) { $0 }])
    return Part(statement) { rows, reads throws(StoreError) in
      for handle in handles { reads.invitations.updateValue(nil, forKey: handle) }
      for values in rows {
        let invitation = try InvitationEntry(PostgresRow(values))
        reads.invitations.updateValue(invitation, forKey: invitation.handle)
      }
    }
  }

  static func invitationLists(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    let statement = PostgresStatement(
      """
      SELECT \(invitationColumns) FROM atrest.invitation AS i WHERE i.account = ANY ($1)
      ORDER BY i.handle
      """, [.integers(accounts, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for account in accounts { reads.invitationLists[account] = [] }
      for values in rows {
        let invitation = try InvitationEntry(PostgresRow(values))
        reads.invitationLists[invitation.account, default: []].append(invitation)
      }
    }
  }

  static func holders(_ purchases: Set<PurchaseKey>) -> Part? {
    guard !purchases.isEmpty else { return nil }
    let asked = Array(purchases)
    let statement = PostgresStatement(
      """
      SELECT q.n, p.account, p.since_ms
      FROM unnest($1, $2) WITH ORDINALITY AS q (environment, original, n)
      JOIN atrest.purchase AS p ON p.environment = q.environment AND p.original = q.original
      """, [.wanted(asked, \.environment), .wanted(asked, \.original)])
    return Part(statement) { rows, reads throws(StoreError) in
      for purchase in asked { reads.holders.updateValue(nil, forKey: purchase) }
      for values in rows {
        let row = PostgresRow(values)
        reads.holders.updateValue(
          StagedReads.PurchaseHolder(account: try row.account(1), since: try row.time(2)),
          forKey: asked[try row.index(0, below: asked.count)])
      }
    }
  }

  static func appAccountTokens(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT id, app_account_token FROM atrest.account WHERE id = ANY ($1)",
      [.integers(accounts, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for account in accounts { reads.appAccountTokens.updateValue(nil, forKey: account) }
      for values in rows {
        let row = PostgresRow(values)
        reads.appAccountTokens.updateValue(try row.optionalBytes(1), forKey: try row.account(0))
      }
    }
  }

  static func appAccounts(_ tokens: Set<[UInt8]>) -> Part? {
    guard !tokens.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT app_account_token, id FROM atrest.account WHERE app_account_token = ANY ($1)",
      [.bytes(tokens) { $0 }])
    return Part(statement) { rows, reads throws(StoreError) in
      for token in tokens { reads.appAccounts.updateValue(nil, forKey: token) }
      for values in rows {
        let row = PostgresRow(values)
        reads.appAccounts.updateValue(try row.account(1), forKey: try row.bytes(0))
      }
    }
  }
}

extension InvitationEntry {
  /// From `PostgresLoad.invitationColumns`.
  fileprivate init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      handle: try row.text(0), secretHash: try row.bytes(1), account: try row.account(2),
      expires: try row.time(3), triesLeft: Int(try row.integer(4)),
      inviter: try row.optionalReplica(5), needsApproval: try row.flag(6),
      usedBy: try row.optionalBytes(7),
      pending: try PendingDeviceEntry(row, from: 8))
  }
}

extension PendingDeviceEntry {
  /// Nil if the first of the columns is null.
  fileprivate init?(_ row: PostgresRow, from column: Int) throws(StoreError) {
    guard try row.optionalInteger(column) != nil else { return nil }
    self.init(
      handle: try row.bits(column), name: try row.text(column + 1),
      digits: try row.text(column + 2), tokenHash: try row.bytes(column + 3),
      since: try row.time(column + 4))
  }
}
