// SPDX-License-Identifier: Apache-2.0
// One round of reconciliation in the storage queue, split over several turns.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire

/// Runs one round of reconciliation. Frees the session's reconciliation slot when finished.
final class ReconcileJob: StorageJob, @unchecked Sendable {
  // Sendable: mutable state is touched only on the queue that runs the job, the rest is immutable.

  let use = StorageUse.reads
  let costBytes: Int
  private let session: DeviceSession
  private let request: ReconcileRequest
  private let sizes: ComparisonSizes
  private let environment: Environment
  private let answer: Answer
  private(set) var isUnfinished = false
  private var response: ReconcileResponse?

  init(
    _ session: DeviceSession, _ request: ReconcileRequest, requestBytes: Int,
    _ sizes: ComparisonSizes, _ environment: Environment, _ answer: Answer
  ) {
    self.session = session
    self.request = request
    self.sizes = sizes
    self.environment = environment
    self.answer = answer
    costBytes = requestBytes * 4 + 512
  }

  var payer: Payer { .device(session) }
  var answerBytes: Int { response?.records.reduce(0) { $0 + $1.count } ?? 0 }
  var isAwaited: Bool { answer.isAwaited }

  func prefetch(_ queries: inout StoreQueries) {
    queries.devices.insert(session.replica)
    queries.feedStates.insert(session.account.id)
    request.prefetch(&queries, of: session.account.id)
  }

  func run(in batch: Batch) throws(StoreError) {
    isUnfinished = false
    response = nil
    guard try batch.allows(session) else { return }
    let now = environment.now()
    let feed = try batch.feed(of: session.account.id)
    guard let sums = try sums(feed, batch, now) else {
      isUnfinished = true
      return
    }
    var unreadable: [[UInt8]] = []
    response = try Reconcile.run(request, feed: feed, sums: sums, sizes, at: now) {
      unreadable.append($0)
    }
    for key in unreadable {
      guard let found = try feed.find(key) else { continue }
      feed.passOver(key: key, sequence: found.sequence)
    }
  }

  /// Nil: there is more to read.
  private func sums(
    _ feed: AccountFeed, _ batch: Batch, _ now: WallTime
  ) throws(StoreError) -> KeySums? {
    guard let cached = batch.sums else {
      var sums = KeySums(of: feed.account, sizes)
      _ = try sums.catchUp(feed.transaction)
      return sums
    }
    return try cached.catchUp(feed.account, in: feed.transaction, sizes, at: now)
  }

  func finish(_ error: StoreError?, _ answers: inout ResponseBatch) {
    session.endReconcile()
    if let error {
      answer(.fail(Status(error)), &answers)
    } else if let response {
      answer(.reply(response.packed), &answers)
    } else {
      answer(.fail(.unknownDevice), &answers)
    }
  }
}
