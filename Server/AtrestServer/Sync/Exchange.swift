// SPDX-License-Identifier: Apache-2.0
// Merges a request into an account and reads the records that the replica has not seen. Has no
// socket, clock or randomness.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestWire

/// Executes one exchange. A simulator runs the same code.
package enum Exchange {
  /// Executes a request: loads the records that it offers, merges in memory, and writes the
  /// changes.
  ///
  /// Each record merges independently, and merging is idempotent. So a request may be committed in
  /// part, and repeating it does the rest.
  /// - Parameters:
  ///   - device: The caller, which owns the outbox.
  ///   - feed: The account's feed in the current transaction. The caller finishes it and commits.
  ///   - now: The server's clock.
  ///   - note: Receives events for the account's audit log, to be written if the transaction
  ///     commits.
  /// - Returns: The response. Send it only after the commit.
  /// - Complexity: O(offers + records returned), each with O(log records) storage work. One call
  ///   loads records, one loads journal entries, one writes; more if the stored records are very
  ///   large, and for purchases.
  package static func run(
    _ request: PreparedExchange, device: ReplicaID, feed: AccountFeed, now: WallTime,
    note: (_ kind: AccountEvent.Kind, _ detail: Int64) -> Void = { _, _ in }
  ) throws(StoreError) -> ExchangeResponse {
    let before = feed.head
    // A server that went back in the middle of a pull knows where that is, and not where it went.
    let (knowsCursor, knowsHead) = (
      try feed.knows(request.cursor), try feed.knows(request.lastKnownHead)
    )
    let isRestart = !knowsCursor || !knowsHead
    if isRestart { note(.restoreNoticed, 0) }
    var response = ExchangeResponse(
      cursor: .start, restarted: isRestart, serverTime: now, head: before)
    // Sequences of records that the replica sent and therefore already holds.
    var echoes: Set<UInt64> = []
    var isAllEcho = true
    let device = DeviceAddress(account: feed.account, replica: device)
    var log = OfferLog(
      request.segment,
      request.segment == nil ? .empty : try feed.transaction.devices.outbox(of: device))
    if let check = request.failedCheck { note(.purchaseRefused, Int64(check)) }
    for refusal in request.refusals {
      switch log.verdict(onOffer: refusal.index) {
      case .new:
        log.refuse(offer: refusal.index, refusal.reason)
        response.refusals.append(refusal)
      case .refused(let reason):
        response.refusals.append(Refusal(index: refusal.index, again: reason))
      case .taken, .unread: break
      }
    }
    var withheld = try MassDeletion.withheld(request, feed) {
      if case .new = log.verdict(onOffer: $0) { true } else { false }
    }
    if request.allowsMassDeletion, !withheld.isEmpty {
      note(.massDeletion, Int64(withheld.count))
      withheld = []
    }
    // A record's writes are accepted in order: none before an earlier one that may still be
    // accepted.
    var postponed: [[UInt8]: Refusal.Reason] = [:]
    let verdicts = request.items.map { log.verdict(onOffer: $0.index) }
    var unjudged = ArraySlice(
      verdicts.indices.filter { if case .new = verdicts[$0] { true } else { false } })
    // The number of unjudged items whose records are loaded, and the merge results of those that
    // met a different record.
    var loaded = 0
    var merged: [Int: MergedOffer] = [:]
    let writtenBefore = feed.writtenBytes
    let isTooMuch = {
      feed.writtenBytes - writtenBefore >= request.limits.writtenBytes
        || feed.writtenBytes >= request.limits.commitBytes
    }
    var hasJudged = false
    items: for (item, verdict) in zip(request.items, verdicts) {
      let result: Result
      switch verdict {
      case .unread: continue
      case .taken:
        // Later changes to the record are in the feed.
        isAllEcho = false
        continue
      case .refused(let reason):
        result = .refused(Refusal(index: item.index, again: reason))
      case .new where hasJudged && isTooMuch():
        if log.stop(before: item.index) {
          response.refusals.removeAll { $0.index >= item.index }
          break items
        }
        result = .refused(.tooMuchAtOnce(item.index))
      case .new:
        hasJudged = true
        if loaded == 0 {
          (loaded, merged) = try merge(request.items, unjudged, feed, now)
        }
        loaded -= 1
        unjudged.removeFirst()
        if let reason = postponed[item.key] {
          result = .refused(Refusal(index: item.index, again: reason))
        } else if withheld.contains(item.index) {
          result = .refused(.massDeletion(item.index))
        } else {
          result = try judge(item, merged[item.index], request, feed, now, note)
        }
      }
      switch result {
      case .refused(let refusal):
        // Repeating the refusal changes nothing.
        log.refuse(offer: item.index, refusal.reason)
        response.refusals.append(refusal)
        if Refusal.Reason.transient.contains(refusal.reason) {
          postponed[item.key] = refusal.reason
        }
      case .kept(let sequence, let isEcho, let isSuperseded, let hasConflicts):
        if isEcho { echoes.insert(sequence) }
        if !isEcho || hasConflicts { isAllEcho = false }
        if isSuperseded { response.superseded.append(UInt32(item.index)) }
      }
    }
    if !response.refusals.isEmpty { response.refusals.sort { $0.index < $1.index } }
    try feed.settle()
    if request.allowsMassDeletion, hasJudged { feed.confirmDeletions() }
    if let outbox = log.changed { try feed.transaction.devices.setOutbox(outbox, of: device) }
    response.takenThrough = log.answer

    let after = isRestart ? 0 : request.cursor?.sequence ?? 0
    if after == before.sequence, isAllEcho {
      // The common push: the replica was up to date, and the only new records are its own.
      response.cursor = feed.head
    } else {
      try readPage(
        &response, feed, after: after, of: request.limits.pageRecords, leavingOut: echoes)
    }
    response.head = feed.head
    return response
  }

  /// Loads the records that the offers meet, merges, and loads the journal entries of the losing
  /// writes.
  ///
  /// - Returns: The number of offers processed, and the merge results, by offer index, of those
  ///   that met a different record.
  private static func merge(
    _ items: [PreparedExchange.PreparedOffer], _ indices: ArraySlice<Int>, _ feed: AccountFeed,
    _ now: WallTime
  ) throws(StoreError) -> (count: Int, merged: [Int: MergedOffer]) {
    let found = try feed.load(indices.map { items[$0].key })
    var merged: [Int: MergedOffer] = [:]
    var entries: [[UInt8]] = []
    for (index, record) in zip(indices, found) {
      guard let record, record.body != items[index].body,
        let offer = MergedOffer(items[index], with: record, at: now)
      else { continue }
      entries += offer.outcome.conflicts.map(\.journalKey.storageKey)
      merged[items[index].index] = offer
    }
    try feed.loadMore(entries)
    return (found.count, merged)
  }

  private static func judge(
    _ item: PreparedExchange.PreparedOffer, _ merged: MergedOffer?, _ request: PreparedExchange,
    _ feed: AccountFeed, _ now: WallTime,
    _ note: (_ kind: AccountEvent.Kind, _ detail: Int64) -> Void
  ) throws(StoreError) -> Result {
    guard let statement = item.statement else {
      return try take(item, merged, request.quota, feed, now)
    }
    guard try hasRoom(for: item, request.quota, feed) else {
      // Check before the purchase is bound to an account that has no room for it.
      return .refused(.quota(item.index, request.quota))
    }
    let rejection = try request.gate?.admit(statement, key: item.key, to: feed, now: now)
    if let rejection {
      note(.purchaseRefused, Int64(rejection.check))
      return .refused(.unverified(item.index, rejection))
    }
    let last = feed.last
    let result = try take(item, merged, request.quota, feed, now)
    if feed.last != last { note(.purchaseTaken, 0) }
    return result
  }

  /// Upper bound on an encoded refusal, in bytes. 1000 refusals leave room for the largest record.
  private static let refusalBytes = 144

  private enum Result {
    case kept(sequence: UInt64, isEcho: Bool, isSuperseded: Bool, hasConflicts: Bool)
    case refused(Refusal)
  }

  /// Stores a record that did not come in an exchange. False if its stamp is too far ahead of the
  /// clock, the record is too large, or the quota is used up.
  static func store(
    _ item: PreparedExchange.PreparedOffer, _ quota: AccountQuota, _ feed: AccountFeed,
    _ now: WallTime
  ) throws(StoreError) -> Bool {
    let result = try take(item, nil, quota, feed, now)
    try feed.settle()
    return if case .kept = result { true } else { false }
  }

  /// Whether the account already has the item's record, or has room for another one.
  static func hasRoom(
    for item: PreparedExchange.PreparedOffer, _ quota: AccountQuota, _ feed: AccountFeed
  ) throws(StoreError) -> Bool {
    let kind = item.offer.record.key.kind
    if quota.allowsRecord(kind, bytes: item.body.count, beside: feed.holdings) { return true }
    return try feed.find(item.key) != nil
  }

  /// - Parameter known: The offer merged with the record as it was loaded. Nil: not merged yet.
  private static func take(
    _ item: PreparedExchange.PreparedOffer, _ known: MergedOffer?, _ quota: AccountQuota,
    _ feed: AccountFeed, _ now: WallTime
  ) throws(StoreError) -> Result {
    // A stamp too far ahead is refused, unless the account has it already: then it is not judged
    // again.
    let ahead = ClockSkew.fieldsTooFarAhead(of: now, in: item.offer) { feed.latestTime }
    let isAhead = !ahead.isEmpty
    let held = feed.holdings
    guard let found = try feed.find(item.key) else {
      let record = item.offer.record
      guard !isAhead else { return .refused(.clockSkew(item.index)) }
      guard quota.allowsRecord(record.key.kind, bytes: item.body.count, beside: held) else {
        return .refused(.quota(item.index, quota))
      }
      let sequence = feed.insert(record, key: item.key, body: item.body)
      return .kept(sequence: sequence, isEcho: true, isSuperseded: false, hasConflicts: false)
    }
    if found.body == item.body {
      return .kept(sequence: found.sequence, isEcho: true, isSuperseded: false, hasConflicts: false)
    }
    // Another offer of the request may have changed the record since.
    let isCurrent = known.map { $0.found == found } ?? false
    guard let merged = isCurrent ? known : MergedOffer(item, with: found, at: now)
    else {
      // Do not overwrite a corrupt record: a backup may be the only other copy.
      feed.passOver(key: item.key, sequence: found.sequence)
      return .refused(.damaged(item.index))
    }
    let (stored, outcome) = (merged.stored, merged.outcome)
    if outcome.record != stored, isAhead {
      let isRefused = outcome.record.registers.contains {
        ahead.contains($0.field) && stored[$0.field] != $0
          && item.offer.record[$0.field]?.stamp == $0.stamp
      }
      if isRefused { return .refused(.clockSkew(item.index)) }
    }
    let journal = outcome.conflicts.map { $0.packedJournalRecord }
    guard journal.isEmpty || quota.allowsJournal(beside: held) else {
      return .refused(.quota(item.index, quota))
    }
    // Store the journal entries before the record: a replica that sees the loss then has them,
    // wherever a page ends.
    var sequence = found.sequence
    if outcome.record != stored {
      let body = outcome.record.packed
      guard outcome.record.registers.count <= Record.Limits.registers,
        body.count <= Record.Limits.encodedBytes(of: outcome.record.key.kind)
      else { return .refused(.tooLarge(item.index)) }
      // A statement replaces an older one about the same purchase. So a full account still accepts
      // a refund.
      guard
        item.statement != nil
          || quota.allows(
            outcome.record, inPlaceOf: stored, growth: body.count - found.body.count,
            beside: held)
      else { return .refused(.quota(item.index, quota)) }
      try store(journal, feed)
      sequence = feed.replace(
        found, stored, by: outcome.record, key: item.key, body: body, history: outcome.history)
      if item.deletes, stored.isLive, !outcome.record.isLive { feed.noteDeletion() }
      if !stored.isLive, outcome.record.isLive { feed.noteRevival() }
    } else {
      try store(journal, feed)
      feed.note(outcome.history, key: item.key, found)
    }
    return .kept(
      sequence: sequence, isEcho: outcome.record == item.offer.record,
      isSuperseded: outcome.isSuperseded, hasConflicts: !journal.isEmpty)
  }

  /// Adds conflicts to the journal. A conflict that is already there stays as it is, even if a
  /// person has deleted its entry.
  private static func store(
    _ journal: [Record], _ feed: AccountFeed
  ) throws(StoreError) {
    for entry in journal {
      let key = entry.key.storageKey
      guard try feed.find(key) == nil else { continue }
      _ = feed.insert(entry, key: key, body: entry.packed)
    }
  }

  /// Reads a page of the feed.
  private static func readPage(
    _ response: inout ExchangeResponse, _ feed: AccountFeed, after: UInt64,
    of pageRecords: Int, leavingOut echoes: Set<UInt64>
  ) throws(StoreError) {
    // The refusals' messages share the response with the records.
    var bytes = response.refusals.count * refusalBytes
    var reached = after
    var records: [[UInt8]] = []
    var more = false
    var unreadable: [UInt64] = []
    try feed.transaction.records.feed(of: feed.account, after: after) { sequence, body in
      if !echoes.contains(sequence) {
        // Skip a corrupt record: no replica could decode it, so it would block all of them here.
        guard (try? Record(unpacking: body)) != nil else {
          unreadable.append(sequence)
          reached = sequence
          return true
        }
        guard records.count < pageRecords, bytes + body.count <= Page.recordBytes else {
          more = true
          return false
        }
        records.append(body)
        // Each record also needs its tag and its length.
        bytes += body.count + 4
      }
      reached = sequence
      return true
    }
    for sequence in unreadable {
      let key = try feed.transaction.records.keys(
        of: feed.account, after: sequence - 1, limit: 1
      ).first
      feed.passOver(key: key ?? [], sequence: sequence)
    }
    response.records = records
    response.more = more
    // Advance past the last record. The sequences after it belonged to records that have moved on.
    response.cursor = more ? try feed.position(of: reached) ?? feed.head : feed.head
  }
}

extension ExchangeResponse {
  /// The cursor that the replica has once it has stored the response. After a loss it is the head:
  /// what lies before that is found by reconciling.
  var toldSequence: UInt64 { (restarted ? head : cursor).sequence }
}

extension SyncStore {
  /// Executes one exchange in its own transaction. For tests and simulations.
  package func exchange(
    _ request: ExchangeRequest, device: ReplicaID, account: AccountID, at now: WallTime,
    quota: AccountQuota = .standard, limits: ExchangeLimits = ExchangeLimits()
  ) throws(StoreError) -> ExchangeResponse {
    var prepared = PreparedExchange(request, quota: quota)
    prepared.limits = limits
    return try transaction { transaction throws(StoreError) in
      let address = DeviceAddress(account: account, replica: device)
      try transaction.devices.note(seen: [address: now], progress: [:])
      let feed = try AccountFeed(
        account: account, in: transaction, commit: .random(in: 1 ... .max), at: now)
      let response = try Exchange.run(prepared, device: device, feed: feed, now: now)
      if let sequence = prepared.acknowledgedSequence, !response.restarted {
        let progress = DeviceProgress(
          acknowledgedSequence: sequence, toldSequence: response.toldSequence)
        try transaction.devices.note(seen: [:], progress: [address: progress])
      }
      try feed.finish()
      return response
    }
  }
}
