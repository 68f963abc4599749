// SPDX-License-Identifier: Apache-2.0
// Wrong pairing codes of a staged transaction.

import AtrestReplication

final class StagedAttempts: AttemptStore {
  private let staging: Staging

  init(_ staging: Staging) {
    self.staging = staging
  }

  func hasLeft(for keys: [[UInt8]]) throws(StoreError) -> Bool {
    var hasLeft = true
    for key in keys + [AttemptLimiter.everybody] {
      var (bucket, now) = try bucket(of: key)
      hasLeft = bucket.hasLeft(at: now) && hasLeft
    }
    return hasLeft
  }

  func spend(_ keys: [[UInt8]]) throws(StoreError) {
    // The buckets belong to no account. Whoever has this lock reads them as they are.
    try staging.expectWrite(to: .server)
    for key in keys + [AttemptLimiter.everybody] {
      var (bucket, now) = try bucket(of: key)
      _ = bucket.take(at: now)
      staging.changes.attempts[key] = bucket
    }
  }

  private func bucket(
    of key: [UInt8]
  ) throws(StoreError) -> (bucket: AttemptBucket, now: WallTime) {
    let known = try staging.value(staging.reads.attempts[key]) { $0.attempts.insert(key) }
    return (staging.changes.attempts[key] ?? known.bucket, known.now)
  }
}
