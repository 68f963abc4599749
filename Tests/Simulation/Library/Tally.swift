// SPDX-License-Identifier: Apache-2.0
// What a sync brought, by what the replica holds before and after it.

import AtrestClient
import AtrestReplication
import AtrestSync

/// What of a replica's state a sync's report counts.
struct Tally {
  /// The journal's entries, and those of them that are not dismissed.
  private let entries: Set<RecordKey>
  private let live: Set<RecordKey>
  /// The deleted records. A report leaves out deletions of what the server never had.
  private let deleted: Set<RecordKey>
  private let refused: [PendingWrite]
  /// Whether deletions wait for a person's confirmation.
  private let holdsDeletions: Bool
  /// Writes that were not refused, of records with no refused write, which they would follow. Not
  /// what is given back to a server that lost it.
  private let waiting: Set<PendingWrite>

  init(_ replica: Replica) throws(ReplicaError) {
    let all = try replica.allRecords()
    let journal = all.filter { $0.key.kind == .conflict }
    entries = Set(journal.map(\.key))
    live = Set(journal.filter { !$0.isDeleted }.map(\.key))
    deleted = Set(all.filter(\.isDeleted).map(\.key))
    let pending = try replica.pending()
    refused = pending.filter { $0.refusal.map { $0.reason != .massDeletion } ?? false }
    holdsDeletions = pending.contains { $0.refusal?.reason == .massDeletion }
    let refusedKeys = Set(pending.filter { $0.refusal != nil }.map(\.key))
    waiting = Set(pending.filter { $0.since != nil && !refusedKeys.contains($0.key) })
  }

  /// What a report since an earlier tally leaves out, or its sync did. Nil if nothing.
  ///
  /// - Parameter isOfSync: Whether it is the report of a whole sync, which offers again what was
  ///   refused before.
  func omission(from report: SyncReport, since earlier: Tally, isOfSync: Bool) -> String? {
    let arrived = live.subtracting(earlier.entries).count
    if report.conflicts < arrived { return "\(report.conflicts) of \(arrived) conflicts" }
    if report.pulled < arrived { return "\(report.pulled) of \(arrived) records" }
    let isShown = { (write: PendingWrite) in
      !deleted.contains(write.key) && !earlier.deleted.contains(write.key)
    }
    let was = isOfSync ? [] : earlier.refused.filter(isShown)
    let new = refused.filter(isShown).count - was.count
    if report.refused < new { return "\(report.refused) of \(new) refused writes" }
    let isOverQuota = { (write: PendingWrite) in write.refusal?.reason == .quota }
    let newOverQuota =
      refused.filter(isShown).count(where: isOverQuota) - was.count(where: isOverQuota)
    if report.overQuota < newOverQuota {
      return "\(report.overQuota) of \(newOverQuota) writes over the quota"
    }
    if isOfSync, holdsDeletions, report.heldDeletions == nil { return "no held deletions" }
    let left = isOfSync ? waiting.intersection(earlier.waiting).count : 0
    return left > 0 ? "success, and left \(left) writes unoffered" : nil
  }
}
