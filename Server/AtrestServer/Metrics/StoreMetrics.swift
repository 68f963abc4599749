// SPDX-License-Identifier: Apache-2.0
// What a store's queues count. No label names an account, a device or a value.

import CoreMetrics

/// Metrics of commits, of caches and of what failed. Thread-safe.
package final class StoreMetrics: Sendable {
  private let commitSeconds: Timer
  private let commitJobs: Recorder
  private let commitShare: Recorder
  private let sumsHits: Counter
  private let sumsMisses: Counter
  private let errors: [String: Counter]

  /// The kinds of errors, as labels have them.
  private static let kinds = ["full", "busy", "unavailable", "outcome_unknown", "fatal", "other"]

  init(factory: any MetricsFactory) {
    commitSeconds = Timer(label: "atrest_commit_seconds", dimensions: [], factory: factory)
    commitJobs = Recorder(label: "atrest_commit_jobs", aggregate: true, factory: factory)
    commitShare = Recorder(
      label: "atrest_commit_account_share", aggregate: true, factory: factory)
    func lookup(_ result: String) -> Counter {
      Counter(
        label: "atrest_sums_lookups_total", dimensions: [("result", result)], factory: factory)
    }
    (sumsHits, sumsMisses) = (lookup("hit"), lookup("miss"))
    errors = Dictionary(
      uniqueKeysWithValues: Self.kinds.map { kind in
        let counter = Counter(
          label: "atrest_store_errors_total", dimensions: [("kind", kind)], factory: factory)
        counter.increment(by: 0)
        return (kind, counter)
      })
  }

  /// Records a commit. The largest share of one account is 1 where nobody else waited.
  func committed(_ jobs: [QueuedJob], nanoseconds: UInt64) {
    guard !jobs.isEmpty else { return }
    commitSeconds.recordNanoseconds(Int64(clamping: nanoseconds))
    commitJobs.record(Int64(jobs.count))
    var counts: [Payer.Party: Int] = [:]
    for job in jobs { counts[job.payer.party, default: 0] += 1 }
    commitShare.record(Double(counts.values.max() ?? 0) / Double(jobs.count))
  }

  /// Records whether the sums of a transaction's accounts were in memory.
  func lookedUp(_ sums: TransactionSums) {
    if sums.hits > 0 { sumsHits.increment(by: sums.hits) }
    if sums.misses > 0 { sumsMisses.increment(by: sums.misses) }
  }

  /// Records a failure of the store's.
  func failed(_ error: StoreError) { errors[Self.kind(error)]?.increment() }

  private static func kind(_ error: StoreError) -> String {
    if error.isFatal { return "fatal" }
    switch error {
    case .full: return "full"
    case .busy: return "busy"
    case .unavailable: return "unavailable"
    case .outcomeUnknown, .commitUnknown: return "outcome_unknown"
    default: return "other"
    }
  }
}
