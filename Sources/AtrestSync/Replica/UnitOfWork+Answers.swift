// SPDX-License-Identifier: Apache-2.0
// Stores the server's answers: acknowledgements, refusals, records and the new cursor.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Stores an answer: merges its records, records refusals, updates the cursor, the head, the
  /// clock offset and the server's outbox position, and settles what it can.
  /// If the server lost something, the cursor becomes the head and a reconcile is demanded.
  ///
  /// - Parameters:
  ///   - request: The request that was answered.
  ///   - page: The offers that it carried.
  ///   - reading: This device's clocks when the answer arrived.
  /// - Throws: `.invalid` if the answer breaks the contract.
  package mutating func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at reading: Reading
  ) throws(ReplicaError) -> AppliedAnswer {
    // Trims the undo journal too: its copies of deleted records must not outlive those elsewhere,
    // even if the person does nothing more on this device.
    try actions.trim(at: now)
    var applied = AppliedAnswer()
    let refused = Set(answer.refusals.map { $0.index })
    guard refused.allSatisfy({ (0..<page.offers.count).contains($0) }),
      answer.superseded.allSatisfy({ $0 < page.offers.count })
    else { throw .invalid("an answer speaks of offers that were not made") }
    guard answer.cursor.sequence <= answer.head.sequence else {
      throw .invalid("an answer leads beyond the account's head")
    }
    if tables.state.hasOvertaken(answer, to: request) {
      applied.isOvertaken = true
      return applied
    }

    tables.state.serverOffset.learn(answer.serverTime, now: reading.now, waited: reading.waited)
    tables.state.isServerClockDoubtful = answer.isClockDoubtful
    tables.state.hasAccessEnded = false
    let judged = try judgedOffers(answer, request, page, &applied)
    // Offers are not echoed back, so an answer about another replica's outbox cannot be applied.
    if applied.isForked { return applied }
    let isAfterLoss = tables.state.isAfterLoss || answer.isRestart(after: request)
    var mootCount = 0
    let refusals = answer.refusals.filter { judged.contains($0.index) }
    try outbox.note(refusals, on: page)
    for refusal in refusals {
      let entry = try outbox.entry(page.sequences[refusal.index])
      if refusal.reason == .quota, let entry, try outbox.isMoot(entry) { mootCount += 1 }
      if refusal.reason == .clockSkew { applied.tooFarAhead += 1 }
      // One refused for want of room may be refused for its stamp once there is room.
      if isAfterLoss, let entry, RefusalReason.transient.contains(refusal.reason) {
        try outbox.offerAsRestored(entry)
      }
    }
    let heldCount = refusals.count { $0.reason == .massDeletion }
    if heldCount > 0 {
      applied.heldDeletions = HeldDeletions(
        count: heldCount, of: try records.liveCount() + heldCount)
    }
    applied.acknowledged = judged.count - refusals.count
    applied.refused = refusals.count { $0.reason != .massDeletion } - mootCount
    applied.overQuota = refusals.count { $0.reason == .quota } - mootCount

    if answer.isRestart(after: request) {
      demandReconcile(afterLoss: true)
      applied.isRestarted = true
      applied.isLoss = tables.state.lastSync != nil
      // Where it is in the outbox by now it did not tell.
      if answer.takenThrough == nil { tables.state.takenThrough = .start }
    }
    try merge(answer.records, into: &applied)
    tables.state.advance(by: answer, to: request)
    try settle()
    return applied
  }

  /// The indices of the offers that the server judged. If the server is at a position that is not
  /// in this replica's past, it judged none of them, whatever its numbers say.
  private func judgedOffers(
    _ answer: ExchangeResponse, _ request: ExchangeRequest, _ page: OutboxPage,
    _ applied: inout AppliedAnswer
  ) throws(ReplicaError) -> Set<Int> {
    guard let segment = request.segment else { return [] }
    guard let position = answer.takenThrough else {
      guard segment.numbers.isEmpty else {
        throw .invalid("an answer does not say what became of the offers")
      }
      // A server of 0.1.0 tells its position only with offers. So it is offered again what it took.
      tables.state.takenThrough = .start
      return []
    }
    guard try outbox.isInPast(position) else {
      applied.isForked = true
      return []
    }
    // The server may have judged later offers, in a request whose answer was lost. What became of
    // those it tells when they are offered again.
    let last = segment.numbers.last ?? segment.confirmed.number
    tables.state.takenThrough = OutboxPosition(
      number: min(position.number, last), token: position.token)
    let judged = segment.numbers.indices.filter { segment.numbers[$0] <= position.number }
    // A server that went back has to be offered again what it had taken.
    applied.isUnread =
      judged.count < segment.numbers.count || position.number < segment.confirmed.number
    return Set(judged)
  }

  /// Removes what the server took from the outbox, once this replica holds everything up to the
  /// head that the server told with it. From then on the cursor shows whether the server still has
  /// it, and the write that superseded it is here, with its journal entry. Until then a server that
  /// went back to an earlier position is offered it again.
  private func settle() throws(ReplicaError) {
    guard tables.state.isAtHead else { return }
    try outbox.removeTaken()
  }

  /// Stores an event of the stream, if the replica's cursor and head are where the event begins.
  ///
  /// - Returns: nil if they are elsewhere; then nothing is changed.
  package mutating func apply(
    _ event: WatchResponse, at now: WallTime
  ) throws(ReplicaError) -> AppliedAnswer? {
    // If the head is beyond the cursor, this stream was opened for another position.
    guard tables.state.cursor == event.after, tables.state.head == event.after else {
      return nil
    }
    var applied = AppliedAnswer()
    try merge(event.records, into: &applied)
    tables.state.cursor = event.cursor
    tables.state.head = event.cursor
    // A pushed event has no round-trip time.
    tables.state.serverOffset.learn(event.serverTime, now: now, waited: nil)
    return applied
  }

  /// Merges records from a comparison, and queues records that the server lacks or has differently.
  ///
  /// - Parameters:
  ///   - wanted: Keys of records to queue. Skips those that have a waiting write, and those whose
  ///     merged record equals the received one.
  ///   - cursor: The cursor at the time of the comparison. Nothing is stored if it has moved.
  /// - Throws: `.invalid` if a record breaks the contract.
  package mutating func merge(
    _ received: [[UInt8]], offering wanted: [RecordKey], at cursor: Cursor?
  ) throws(ReplicaError) -> AppliedAnswer {
    var applied = AppliedAnswer()
    guard tables.state.cursor == cursor else {
      applied.isOvertaken = true
      return applied
    }
    try merge(received, into: &applied)
    let same = Set(received)
    for key in wanted {
      guard let held = try tables.recordBody(key), !same.contains(held) else { continue }
      try outbox.offerAgain(key, afterLoss: tables.state.isAfterLoss)
    }
    return applied
  }

  /// Clears a demand to reconcile, unless a newer one has replaced it, and settles what it can.
  package func endReconcile(_ demand: UInt64) throws(ReplicaError) {
    if tables.state.mustReconcile == demand { tables.state.mustReconcile = nil }
    try settle()
  }

  /// Records the completion of a sync.
  package func noteSync(at now: WallTime) {
    tables.state.lastSync = tables.state.serverOffset.corrected(now)
  }
}
