// SPDX-License-Identifier: Apache-2.0
// The statements that write devices, pairing codes, purchases and tokens of the App Store.

import AtrestPostgreSQL
import AtrestReplication

extension PostgresWrites {
  // MARK: Devices

  static func newDevices(_ devices: [ReplicaID: DeviceEntry]) -> PostgresStatement? {
    guard !devices.isEmpty else { return nil }
    let rows = devices.values.sorted { $0.replica.rawValue < $1.replica.rawValue }
    return PostgresStatement(
      """
      INSERT INTO atrest.device (
        replica, account, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
        is_renewed)
      SELECT replica, account, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
        is_renewed <> 0
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS q (
        replica, account, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
        is_renewed)
      """,
      [
        .bits(rows, \.replica.rawValue), .integers(rows, \.account.rawValue),
        .texts(rows, \.name), .bytes(rows, \.tokenHash), .integers(rows, \.paired.milliseconds),
        .integers(rows, \.seen?.milliseconds), .integers(rows, \.revoked?.milliseconds),
        .bits(rows, \.origin.parent?.rawValue), .bits(rows, \.origin.approver?.rawValue),
        .integers(rows) { $0.origin.isRenewed ? 1 : 0 },
      ])
  }

  /// One update of each row, whatever changed of it.
  static func changedDevices(_ changes: StagedChanges) -> PostgresStatement? {
    var devices = Set(changes.seen.keys).union(changes.progress.keys)
    devices.formUnion(changes.outboxes.keys)
    devices.formUnion(changes.names.keys)
    devices.formUnion(changes.revocations.keys)
    guard !devices.isEmpty else { return nil }
    let rows = devices.sorted {
      ($0.account.rawValue, $0.replica.rawValue) < ($1.account.rawValue, $1.replica.rawValue)
    }
    let (seen, progress, outboxes) = (changes.seen, changes.progress, changes.outboxes)
    return PostgresStatement(
      PostgresStatements.updateDevices,
      [
        .integers(rows, \.account.rawValue), .bits(rows, \.replica.rawValue),
        .integers(rows) { seen[$0]?.milliseconds },
        .integers(rows) { progress[$0].map { Int64(clamping: $0.acknowledgedSequence) } },
        .integers(rows) { progress[$0].map { Int64(clamping: $0.toldSequence) } },
        .bits(rows) { outboxes[$0]?.takenThrough.number },
        .bits(rows) { outboxes[$0]?.takenThrough.token },
        .bytes(rows) { outboxes[$0]?.encodedRefusals }, .texts(rows) { changes.names[$0] },
        .integers(rows) { changes.revocations[$0]?.milliseconds },
      ])
  }

  // MARK: Pairing codes

  static func removedInvitations(_ handles: Set<String>) -> PostgresStatement? {
    guard !handles.isEmpty else { return nil }
    return PostgresStatement(
      "DELETE FROM atrest.invitation WHERE handle = ANY ($1)", [.textArray(handles.sorted())])
  }

  static func newInvitations(_ invitations: [String: InvitationEntry]) -> PostgresStatement? {
    guard !invitations.isEmpty else { return nil }
    let rows = invitations.values.sorted { $0.handle < $1.handle }
    return PostgresStatement(
      """
      INSERT INTO atrest.invitation (
        handle, secret_hash, account, expires_ms, tries_left, inviter, needs_approval, used_by,
        pending_handle, pending_name, pending_digits, pending_token_hash, pending_since_ms)
      SELECT handle, secret_hash, account, expires_ms, tries_left, inviter, needs_approval <> 0,
        used_by, pending_handle, pending_name, pending_digits, pending_token_hash, pending_since_ms
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS q (
        handle, secret_hash, account, expires_ms, tries_left, inviter, needs_approval, used_by,
        pending_handle, pending_name, pending_digits, pending_token_hash, pending_since_ms)
      """,
      [
        .texts(rows, \.handle), .bytes(rows, \.secretHash), .integers(rows, \.account.rawValue),
        .integers(rows, \.expires.milliseconds), .integers(rows) { Int64($0.triesLeft) },
        .bits(rows, \.inviter?.rawValue), .integers(rows) { $0.needsApproval ? 1 : 0 },
        .bytes(rows, \.usedBy),
      ] + pendingColumns(rows))
  }

  private static func pendingColumns(_ rows: [InvitationEntry]) -> [PostgresValue] {
    [
      .bits(rows, \.pending?.handle), .texts(rows, \.pending?.name),
      .texts(rows, \.pending?.digits), .bytes(rows, \.pending?.tokenHash),
      .integers(rows, \.pending?.since.milliseconds),
    ]
  }

  static func changedInvitations(_ invitations: [String: InvitationEntry]) -> PostgresStatement? {
    guard !invitations.isEmpty else { return nil }
    let rows = invitations.values.sorted { $0.handle < $1.handle }
    return PostgresStatement(
      """
      WITH changed AS (
        UPDATE atrest.invitation AS i SET tries_left = q.tries_left, used_by = q.used_by,
          pending_handle = q.pending_handle, pending_name = q.pending_name,
          pending_digits = q.pending_digits, pending_token_hash = q.pending_token_hash,
          pending_since_ms = q.pending_since_ms
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) AS q (
          handle, account, tries_left, used_by, pending_handle, pending_name, pending_digits,
          pending_token_hash, pending_since_ms)
        WHERE i.handle = q.handle AND i.account = q.account
        RETURNING 1)
      SELECT atrest.expect(count(*), $10) FROM changed
      """,
      [
        .texts(rows, \.handle), .integers(rows, \.account.rawValue),
        .integers(rows) { Int64($0.triesLeft) }, .bytes(rows, \.usedBy),
      ] + pendingColumns(rows) + [.int8(Int64(rows.count))])
  }

  // MARK: Purchases

  /// Purchases that nobody held.
  static func newHolders(
    _ changes: [PurchaseKey: StagedChanges.HolderChange]
  ) -> PostgresStatement? {
    let rows = changes.filter { $0.value.previous == nil }.sorted { isEarlier($0.key, $1.key) }
    guard !rows.isEmpty else { return nil }
    return PostgresStatement(
      """
      INSERT INTO atrest.purchase (environment, original, account, since_ms)
      SELECT * FROM unnest($1, $2, $3, $4)
      """,
      [
        .texts(rows, \.key.environment), .texts(rows, \.key.original),
        .integers(rows, \.value.holder.account.rawValue),
        .integers(rows, \.value.holder.since.milliseconds),
      ])
  }

  /// Purchases whose holders must still be the previous ones.
  static func changedHolders(
    _ changes: [PurchaseKey: StagedChanges.HolderChange]
  ) -> PostgresStatement? {
    let rows = changes.filter { $0.value.previous != nil }.sorted { isEarlier($0.key, $1.key) }
    guard !rows.isEmpty else { return nil }
    return PostgresStatement(
      """
      WITH changed AS (
        UPDATE atrest.purchase AS p SET account = q.account, since_ms = q.since_ms
        FROM unnest($1, $2, $3, $4, $5) AS q (environment, original, previous, account, since_ms)
        WHERE p.environment = q.environment AND p.original = q.original
          AND p.account = q.previous
        RETURNING 1)
      SELECT atrest.expect(count(*), $6) FROM changed
      """,
      [
        .texts(rows, \.key.environment), .texts(rows, \.key.original),
        .integers(rows, \.value.previous?.rawValue),
        .integers(rows, \.value.holder.account.rawValue),
        .integers(rows, \.value.holder.since.milliseconds), .int8(Int64(rows.count)),
      ])
  }

  private static func isEarlier(_ a: PurchaseKey, _ b: PurchaseKey) -> Bool {
    (a.environment, a.original) < (b.environment, b.original)
  }

  static func tokens(_ tokens: [AccountID: [UInt8]]) -> PostgresStatement? {
    guard !tokens.isEmpty else { return nil }
    let rows = tokens.sorted { $0.key.rawValue < $1.key.rawValue }
    return PostgresStatement(
      """
      WITH changed AS (
        UPDATE atrest.account AS a SET app_account_token = q.token
        FROM unnest($1, $2) AS q (id, token)
        WHERE a.id = q.id AND a.app_account_token IS NULL
        RETURNING 1)
      SELECT atrest.expect(count(*), $3) FROM changed
      """,
      [
        .integers(rows, \.key.rawValue), .bytes(rows, \.value), .int8(Int64(rows.count)),
      ])
  }
}
