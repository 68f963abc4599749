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
  private let refused: Int
  private let overQuota: Int

  init(_ replica: Replica) throws(ReplicaError) {
    let all = try replica.allRecords()
    let journal = all.filter { $0.key.kind == .conflict }
    entries = Set(journal.map(\.key))
    live = Set(journal.filter { !$0.isDeleted }.map(\.key))
    // The report leaves out deletions of what the server never had.
    let deleted = Set(all.filter(\.isDeleted).map(\.key))
    let refusals = try replica.pending().filter { !deleted.contains($0.key) }
      .compactMap { $0.refusal?.reason }.filter { $0 != .massDeletion }
    refused = refusals.count
    overQuota = refusals.count { $0 == .quota }
  }

  /// What a report since an earlier tally leaves out. Nil if nothing.
  ///
  /// - Parameter isOfSync: Whether it is the report of a whole sync, which offers again what was
  ///   refused before.
  func omission(from report: SyncReport, since earlier: Tally, isOfSync: Bool) -> String? {
    let arrived = live.subtracting(earlier.entries).count
    if report.conflicts < arrived { return "\(report.conflicts) of \(arrived) conflicts" }
    if report.pulled < arrived { return "\(report.pulled) of \(arrived) records" }
    let (new, newOverQuota) =
      isOfSync
      ? (refused, overQuota) : (refused - earlier.refused, overQuota - earlier.overQuota)
    if report.refused < new { return "\(report.refused) of \(new) refused writes" }
    if report.overQuota < newOverQuota {
      return "\(report.overQuota) of \(newOverQuota) writes over the quota"
    }
    return nil
  }
}
