// SPDX-License-Identifier: Apache-2.0
// The statements that write what a transaction changed: one or two for each kind, whatever the
// number of rows.

import AtrestPostgreSQL
import AtrestReplication

/// The writes of a transaction.
///
/// Where an expectation of `StagedChanges` does not hold, a statement fails with a meaning of
/// `PostgresError.Meaning.conflict`: by `atrest.expect`, or by a unique index. Kinds follow each
/// other in one order, and the rows of each kind in the order of their keys, so that two
/// transactions wait for each other's rows in the same order.
enum PostgresWrites {
  /// The statements that write changes.
  ///
  /// - Parameters:
  ///   - accounts: Those that are locked. The row of each is written, even if nothing of it
  ///     changed: an acknowledgement commits a write of its own, and so waits, where there is a
  ///     synchronous standby, until that has everything before it.
  /// - Returns: None if there is nothing to write.
  static func statements(
    _ changes: StagedChanges, touching accounts: Set<AccountID>
  ) -> [PostgresStatement] {
    // In variables: the compiler takes long for one expression.
    let rows =
      [
        removals(changes.removedAccounts), additions(changes.addedAccounts),
        insertions(changes.records), updates(changes.records), commits(changes.feeds),
      ].compactMap(\.self)
    let devices = [newDevices(changes.addedDevices), changedDevices(changes)].compactMap(\.self)
    let invitations =
      [
        removedInvitations(changes.removedInvitations), newInvitations(changes.addedInvitations),
        changedInvitations(changes.changedInvitations), attempts(changes.attempts),
      ].compactMap(\.self)
    let holders =
      [
        newHolders(changes.holders), changedHolders(changes.holders),
        tokens(changes.appAccountTokens),
      ].compactMap(\.self)
    let ends =
      [
        touched(changes, accounts), events(changes.events), pruned(changes.prunedCommits),
      ].compactMap(\.self)
    return rows + devices + invitations + holders + ends
  }

  // MARK: Accounts

  /// First of all: what is added may take the names of what is removed.
  static func removals(_ accounts: Set<AccountID>) -> PostgresStatement? {
    // The server's own row stays.
    let ids = accounts.filter { $0 != .server }.map(\.rawValue).sorted()
    guard !ids.isEmpty else { return nil }
    return PostgresRemoval.statement(for: ids)
  }

  private static func additions(
    _ accounts: [AccountID: StagedChanges.AddedAccount]
  ) -> PostgresStatement? {
    guard !accounts.isEmpty else { return nil }
    let rows = accounts.sorted { $0.value.name.utf8.lexicographicallyPrecedes($1.value.name.utf8) }
    return PostgresStatement(
      "INSERT INTO atrest.account (id, name, created_ms) SELECT * FROM unnest($1, $2, $3)",
      [
        .integers(rows, \.key.rawValue), .texts(rows, \.value.name),
        .integers(rows, \.value.created.milliseconds),
      ])
  }

  /// Whoever writes to an account that is gone conflicts with whoever removed it.
  private static func touched(
    _ changes: StagedChanges, _ accounts: Set<AccountID>
  ) -> PostgresStatement? {
    var required = Set(changes.feeds.keys).union(changes.appAccountTokens.keys)
    required.formUnion(changes.records.keys.lazy.map(\.account))
    required.formUnion(changes.addedDevices.values.lazy.map(\.account))
    required.formUnion(changes.addedInvitations.values.lazy.map(\.account))
    required.formUnion(changes.holders.values.lazy.map(\.holder.account))
    let rows = accounts.union(required).sorted { $0.rawValue < $1.rawValue }
    guard !rows.isEmpty else { return nil }
    let feeds = changes.feeds
    return PostgresStatement(
      PostgresStatements.updateAccounts,
      [
        .integers(rows, \.rawValue),
        .bits(rows) { feeds[$0]?.head?.sequence }, .bits(rows) { feeds[$0]?.head?.commit },
        .bits(rows) { feeds[$0]?.latestTime.rawValue ?? 0 },
        .integers(rows) { Int64(feeds[$0]?.holdings.live ?? 0) },
        .integers(rows) { Int64(feeds[$0]?.holdings.records ?? 0) },
        .integers(rows) { Int64(feeds[$0]?.holdings.bytes ?? 0) },
        .integers(rows) { feeds[$0]?.deletions.map { Int64($0.count) } },
        .integers(rows) { feeds[$0]?.deletions?.since.milliseconds },
        .integers(rows) { required.contains($0) ? 1 : nil }, .int8(Int64(required.count)),
      ])
  }

  /// The names of new commits.
  private static func commits(_ feeds: [AccountID: FeedChange]) -> PostgresStatement? {
    let rows = feeds.values.compactMap { change in
      change.head.map { (account: change.account.rawValue, head: $0) }
    }.sorted { $0.account < $1.account }
    guard !rows.isEmpty else { return nil }
    return PostgresStatement(
      PostgresStatements.insertCommits,
      [
        .integers(rows, \.account), .bits(rows, \.head.sequence), .bits(rows, \.head.commit),
      ])
  }

  /// What is kept of each account is found once and not for each of its names. Null, for a device
  /// that acknowledged what is not there, is unlike any name: then all are kept.
  private static func pruned(_ accounts: [AccountID: Int]) -> PostgresStatement? {
    guard !accounts.isEmpty else { return nil }
    let rows = accounts.sorted { $0.key.rawValue < $1.key.rawValue }
    return PostgresStatement(
      """
      DELETE FROM atrest.feed_commit AS c
      USING (
        SELECT q.account,
          (SELECT sequence FROM atrest.feed_commit WHERE account = q.account
            ORDER BY sequence DESC LIMIT 1 OFFSET q.newer) AS oldest,
          ARRAY (
            SELECT (SELECT sequence FROM atrest.feed_commit
              WHERE account = q.account AND sequence >= named.sequence ORDER BY sequence LIMIT 1)
            FROM atrest.device AS d
            CROSS JOIN LATERAL (VALUES (d.acknowledged_sequence), (d.told_sequence))
              AS named (sequence)
            WHERE d.account = q.account AND d.revoked_ms IS NULL) AS kept
        FROM unnest($1, $2) AS q (account, newer) OFFSET 0) AS k
      WHERE c.account = k.account AND c.sequence < k.oldest AND c.sequence <> ALL (k.kept)
      """,
      [.integers(rows, \.key.rawValue), .integers(rows) { Int64(max(1, $0.value) - 1) }])
  }

  // MARK: Records

  /// In the order of feeds, which become sequential reads of the table.
  private static func insertions(
    _ changes: [RecordAddress: RecordChange]
  ) -> PostgresStatement? {
    let rows = changes.values.filter { $0.previous == nil }.sorted(by: isEarlier)
    guard !rows.isEmpty else { return nil }
    return PostgresStatement(
      PostgresStatements.insertRecords,
      [
        .integers(rows, \.address.account.rawValue), .bytes(rows, \.address.key),
        .bits(rows, \.record.sequence), .bytes(rows, \.record.body),
        .integers(rows, \.record.due?.milliseconds), .bytes(rows, \.record.history),
      ])
  }

  private static func updates(_ changes: [RecordAddress: RecordChange]) -> PostgresStatement? {
    let rows = changes.values.filter { $0.previous != nil }.sorted(by: isEarlier)
    guard !rows.isEmpty else { return nil }
    return PostgresStatement(
      PostgresStatements.updateRecords,
      [
        .integers(rows, \.address.account.rawValue), .bytes(rows, \.address.key),
        .bits(rows, \.previous), .bits(rows, \.record.sequence), .bytes(rows, \.record.body),
        .integers(rows, \.record.due?.milliseconds), .bytes(rows, \.record.history),
        .int8(Int64(rows.count)),
      ])
  }

  private static func isEarlier(_ a: RecordChange, _ b: RecordChange) -> Bool {
    (a.address.account.rawValue, a.record.sequence)
      < (b.address.account.rawValue, b.record.sequence)
  }

  // MARK: Events

  static func events(_ changes: [AccountID: [EventEntry]]) -> PostgresStatement? {
    let rows = changes.values.joined().sorted { $0.number < $1.number }
    guard !rows.isEmpty else { return nil }
    return PostgresStatement(
      """
      INSERT INTO atrest.event (
        number, account, at_ms, kind, actor, subject, detail, count, hash)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
      """,
      [
        .bits(rows, \.number), .integers(rows) { $0.event.account?.rawValue ?? 0 },
        .integers(rows, \.event.at.milliseconds), .integers(rows) { Int64($0.event.kind.rawValue) },
        .bits(rows, \.event.actor.rawValue), .bits(rows, \.event.subject.rawValue),
        .integers(rows, \.event.detail), .integers(rows) { Int64($0.event.count) },
        .bytes(rows, \.hash),
      ])
  }
}
