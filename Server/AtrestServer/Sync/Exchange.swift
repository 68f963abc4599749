// SPDX-License-Identifier: Apache-2.0
// Merges a request into an account and reads out what the replica has not seen. No socket, no clock, no chance.

import Replication
import SyncProtocol

/// One exchange: the part of the service that a simulator drives as it is.
package enum Exchange {
  /// How far a stamp may be ahead of the server's clock, in milliseconds.
  package static let skewLimitMilliseconds: Int64 = 60_000

  /// Takes a request in.
  ///
  /// Each record merges on its own, and merging is idempotent, so a request that fails half-way may be committed
  /// half-way: repeating it does the rest.
  /// - Parameters:
  ///   - device: Who asks; the sync token is the device's.
  ///   - epoch: The store's.
  ///   - feed: The account's, in the transaction under way. Its owner finishes it and commits.
  ///   - now: The server's clock.
  ///   - note: Hears of what its account may want to know later, if the transaction is committed.
  /// - Returns: The answer, to be given once the transaction is committed.
  /// - Complexity: O(offers + records answered), each with O(log records) storage work.
  package static func run(
    _ request: PreparedExchange, device: ReplicaID, epoch: UInt64, feed: AccountFeed, now: WallTime,
    note: (_ kind: Event.Kind, _ detail: Int64) -> Void = { _, _ in }
  ) throws(StoreError) -> ExchangeResponse {
    let before = feed.head
    let place = try place(request, epoch: epoch, feed)
    var response = ExchangeResponse(
      refusals: request.refusals, cursor: Cursor(epoch: epoch, sequence: 0),
      restarted: place == nil,
      serverTime: now, head: before)
    // Sequences of records that the replica holds as they are, because it sent them so.
    var echoes: Set<UInt64> = []
    var isAllEcho = true
    // A store that went back went back with the device's token too: whoever comes first and shows another one is not a copy.
    if place == nil {
      try feed.transaction.forgetSyncToken(of: device)
      note(.restoreNoticed, 0)
    }
    let isForked = try !follows(request, device, feed)
    if let check = request.failedCheck { note(.purchaseRefused, Int64(check)) }
    var withheld = isForked ? [] : try MassDeletion.withheld(request, feed)
    if request.allowsMassDeletion, !withheld.isEmpty {
      note(.massDeletion, Int64(withheld.count))
      withheld = []
    }
    for item in request.items {
      let result: Result
      if isForked {
        result = .refused(.forked(item.index))
      } else if withheld.contains(item.index) {
        result = .refused(.massDeletion(item.index))
      } else if item.statement != nil, try !hasRoom(for: item, request.quota, feed) {
        // Before the purchase is bound to an account that cannot hold it.
        result = .refused(.quota(item.index, request.quota))
      } else {
        let rejection = try item.statement.flatMap { statement throws(StoreError) in
          try request.gate?.admit(
            statement, key: item.key, to: feed.account, in: feed.transaction, now: now)
        }
        if let rejection {
          note(.purchaseRefused, Int64(rejection.check))
          result = .refused(.unverified(item.index, rejection))
        } else {
          let head = feed.head
          result = try take(item, request.quota, feed, now)
          if item.statement != nil, feed.head != head { note(.purchaseTaken, 0) }
        }
      }
      switch result {
      case .refused(let refusal): response.refusals.append(refusal)
      case .kept(let sequence, let isEcho, let isSuperseded, let hasJournal):
        if isEcho { echoes.insert(sequence) }
        if !isEcho || hasJournal { isAllEcho = false }
        if isSuperseded { response.superseded.append(UInt32(item.index)) }
      }
    }
    if !response.refusals.isEmpty { response.refusals.sort { $0.index < $1.index } }

    let after = place ?? 0
    if after == before, isAllEcho {
      // The common push: nothing was new before it, and nothing but it is new after it.
      response.cursor = Cursor(epoch: epoch, sequence: feed.head)
    } else {
      try readPage(&response, epoch: epoch, feed, after: after, leavingOut: echoes)
    }
    response.head = feed.head
    if PlantedBug.timeAsCursor.isPlanted {
      let time = UInt64(clamping: now.milliseconds)
      response.cursor = Cursor(epoch: epoch, sequence: time)
      response.head = time
    }
    return response
  }

  /// The sequence up to which the replica holds everything; nil if the account does not go back to where the replica stood.
  ///
  /// What was acknowledged lies before `seen`, which may be far beyond the cursor.
  private static func place(
    _ request: PreparedExchange, epoch: UInt64, _ feed: AccountFeed
  ) throws(StoreError) -> UInt64? {
    for place in [request.seen, request.cursor] {
      guard let place else { continue }
      // What this commit brings nobody can have seen.
      let isGood =
        place.epoch == epoch
        ? place.sequence <= feed.start
        : try feed.transaction.descends(from: place, account: feed.account)
      guard isGood || PlantedBug.restoreNotNoticed.isPlanted else { return nil }
    }
    return request.cursor?.sequence ?? 0
  }

  /// Whether the device is the one that the server's token was left with, and no copy of it; if so, the token moves on.
  private static func follows(
    _ request: PreparedExchange, _ device: ReplicaID, _ feed: AccountFeed
  ) throws(StoreError) -> Bool {
    guard let token = request.token, !request.items.isEmpty else { return true }
    let current = try feed.transaction.syncToken(of: device)
    guard token.follows(current) || PlantedBug.copyNotNoticed.isPlanted else { return false }
    if current != token.next { try feed.transaction.setSyncToken(token.next, of: device) }
    return true
  }

  /// Bytes of an encoded refusal, at most. A thousand of them leave room for the largest record.
  private static let refusalBytes = 144

  private enum Result {
    case kept(sequence: UInt64, isEcho: Bool, isSuperseded: Bool, hasJournal: Bool)
    case refused(Refusal)
  }

  /// Takes in a record that did not come in an exchange. False if its stamp is too far ahead of the clock, or it is too large.
  static func store(
    _ item: PreparedExchange.Item, _ quota: AccountQuota, _ feed: AccountFeed, _ now: WallTime
  ) throws(StoreError) -> Bool {
    if case .kept = try take(item, quota, feed, now) { true } else { false }
  }

  /// Whether the account has the item's record already, or may have another one.
  static func hasRoom(
    for item: PreparedExchange.Item, _ quota: AccountQuota, _ feed: AccountFeed
  ) throws(StoreError) -> Bool {
    if quota.allowsRecord(bytes: item.body.count, beside: try feed.holdings()) { return true }
    return try feed.find(key: item.key) != nil
  }

  private static func take(
    _ item: PreparedExchange.Item, _ quota: AccountQuota, _ feed: AccountFeed, _ now: WallTime
  ) throws(StoreError) -> Result {
    // One statement for a record that the account does not have; whoever is too far ahead is refused first, and
    // a record whose every stamp the account has already is not judged again.
    let isAhead = item.offer.record.registers.contains { isTooFarAhead($0, now) }
    let held = try feed.holdings()
    let hasRoom = quota.allowsRecord(bytes: item.body.count, beside: held)
    if !isAhead, hasRoom,
      let sequence = try feed.append(
        item.offer.record, key: item.key, body: item.body, at: now)
    {
      return .kept(sequence: sequence, isEcho: true, isSuperseded: false, hasJournal: false)
    }
    guard let found = try feed.find(key: item.key) else {
      return .refused(isAhead ? .clockSkew(item.index) : .quota(item.index, quota))
    }
    if found.body == item.body {
      return .kept(sequence: found.sequence, isEcho: true, isSuperseded: false, hasJournal: false)
    }
    // Only copies of one record merge.
    guard let stored = try? Record(decoding: found.body), stored.key == item.offer.record.key else {
      // Nothing is written over it: what it held may be in a backup, and nowhere else.
      feed.passOver(key: item.key, sequence: found.sequence)
      return .refused(.damaged(item.index))
    }
    let outcome = item.offer.merged(into: stored, at: now)
    if outcome.record != stored, isAhead {
      let isRefused = outcome.record.registers.contains {
        isTooFarAhead($0, now) && stored[$0.field] != $0
      }
      if isRefused { return .refused(.clockSkew(item.index)) }
    }
    guard let journal = journal(outcome) else { return .refused(.tooLarge(item.index)) }
    guard journal.isEmpty || quota.allowsJournal(beside: held) else {
      return .refused(.quota(item.index, quota))
    }
    var sequence = found.sequence
    if outcome.record != stored {
      let body = outcome.record.encoded
      guard outcome.record.registers.count <= Record.Limits.registers,
        body.count <= Record.Limits.encodedBytes
      else { return .refused(.tooLarge(item.index)) }
      // A statement replaces an older one about the same purchase: a full account still takes its refund.
      guard
        item.statement != nil
          || quota.allows(
            outcome.record, inPlaceOf: stored, growth: body.count - found.body.count,
            beside: held)
      else { return .refused(.quota(item.index, quota)) }
      sequence = try feed.replace(found, stored, by: outcome.record, body: body, at: now)
    }
    for entry in journal where !PlantedBug.journalForgotten.isPlanted {
      // A conflict that was met before is in the journal already, perhaps deleted by a person since.
      _ = try feed.append(entry, key: entry.key.storageKey, body: entry.encoded, at: now)
    }
    return .kept(
      sequence: sequence, isEcho: outcome.record == item.offer.record,
      isSuperseded: outcome.isSuperseded, hasJournal: !journal.isEmpty)
  }

  /// The journal's entries, or nil if one would be too large for anybody to read back.
  private static func journal(_ outcome: Offer.Outcome) -> [Record]? {
    var entries: [Record] = []
    for conflict in outcome.conflicts {
      guard let entry = conflict.readableRecord else { return nil }
      entries.append(entry)
    }
    return entries
  }

  private static func isTooFarAhead(_ register: Register, _ now: WallTime) -> Bool {
    let (limit, overflow) = now.milliseconds.addingReportingOverflow(skewLimitMilliseconds)
    return !overflow && register.stamp.time.wallTime.milliseconds > limit
  }

  private static func readPage(
    _ response: inout ExchangeResponse, epoch: UInt64, _ feed: AccountFeed, after: UInt64,
    leavingOut echoes: Set<UInt64>
  ) throws(StoreError) {
    // Sentences of refusals share the message with the records.
    var bytes = response.refusals.count * refusalBytes
    var reached = after
    var records: [[UInt8]] = []
    var more = false
    var unreadable: [UInt64] = []
    try feed.transaction.feed(of: feed.account, after: after) { sequence, body in
      if !echoes.contains(sequence) {
        // No replica could store one that rotted: it would stop them all here for good.
        guard let record = try? Record(decoding: body) else {
          unreadable.append(sequence)
          reached = sequence
          return true
        }
        if PlantedBug.tombstoneDropped.isPlanted, record.isDeleted { return true }
        guard records.count < Page.records, bytes + body.count <= Page.recordBytes else {
          more = true
          return false
        }
        records.append(body)
        // The tag and the length of each record count too.
        bytes += body.count + 4
      }
      reached = sequence
      return true
    }
    for sequence in unreadable {
      feed.passOver(
        key: try feed.transaction.key(at: sequence, account: feed.account) ?? [],
        sequence: sequence)
    }
    response.records = records
    response.more = more
    // Past the last record: sequences that were given to records which moved on are nobody's now.
    if PlantedBug.cursorAhead.isPlanted { reached += 1 }
    response.cursor = Cursor(epoch: epoch, sequence: more ? reached : feed.head)
  }
}

extension SyncStore {
  /// One exchange in a transaction of its own: for tests and simulations.
  package func exchange(
    _ request: ExchangeRequest, device: ReplicaID, account: AccountID, at now: WallTime,
    quota: AccountQuota = .standard
  ) throws(StoreError) -> ExchangeResponse {
    let prepared = PreparedExchange(request, quota: quota)
    let epoch = epoch
    return try transaction { transaction throws(StoreError) in
      try transaction.setSeen(now, device: device)
      let feed = try AccountFeed(account: account, in: transaction)
      let response = try Exchange.run(
        prepared, device: device, epoch: epoch, feed: feed, now: now)
      if let standing = prepared.standing, !response.restarted {
        try transaction.setStanding(standing, device: device)
      }
      try feed.finish()
      return response
    }
  }
}
