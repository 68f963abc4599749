// SPDX-License-Identifier: Apache-2.0
// A reference server in memory: the contract, implemented as simply as possible.

import AtrestClient
import AtrestReplication
import AtrestWire
import Foundation
import Synchronization

/// One account of a server. Created for each test.
final class ModelServer: Sendable {
  /// How far the server has processed a device's outbox.
  struct Outbox {
    var takenThrough = OutboxPosition.start
    /// Refusals by number.
    var refused: [UInt64: Refusal.Reason] = [:]
  }

  struct State {
    /// The name of the commit with each sequence, from 1.
    var names: [UInt64] = []
    /// Commits so far, including lost ones: no name is reused.
    var commitCount: UInt64 = 0
    /// Earlier positions are unknown.
    var oldestPosition: UInt64 = 0
    var records: [RecordKey: (sequence: UInt64, record: Record)] = [:]
    /// The history kept for each record.
    var histories: [RecordKey: RecordHistory] = [:]
    /// Keyed by the device's credential.
    var outboxes: [String: Outbox] = [:]
    /// How many offers were judged, and how many were not read.
    var judgedCount = 0
    var unreadCount = 0
    /// The latest time accepted from a device.
    var latestTime = HybridTime(rawValue: 0)
    /// Whether the clock alone judges stamps, ignoring accepted ones.
    var isSkewJudgedByClock = false
    /// Whether it reports its clock as doubtful.
    var isClockDoubtful = false
    var renewals: [[UInt8]: UInt64] = [:]
    var pageRecords = Page.records
    var clock: TestClock
    var requests: [ExchangeRequest] = []
    var refuses: @Sendable (Record) -> Refusal.Reason? = { _ in nil }
    /// All records with their hashes, sorted by key, as of a sequence; for reconciliation.
    var sorted: (sequence: UInt64, records: [(key: [UInt8], bytes: [UInt8], hash: UInt64)])?
    /// Parts into which a differing range is split; the contract requires no number.
    var fanOut = 16
    /// Number of live records below which deletions need no confirmation.
    var massDeletionFloor = 20

    /// The last sequence assigned.
    var sequence: UInt64 { UInt64(names.count) }
    /// The position of the last commit.
    var head: Cursor { position(of: sequence) }
  }

  let state: Mutex<State>

  init(clock: TestClock) {
    state = Mutex(State(clock: clock))
  }

  func exchange(
    _ request: ExchangeRequest, as credential: String = ""
  ) throws -> ExchangeResponse {
    try state.withLock { try $0.exchange(request, as: credential) }
  }

  func reconcile(_ request: ReconcileRequest) -> ReconcileResponse {
    state.withLock { $0.reconcile(request) }
  }

  func renew(_ request: RenewRequest) -> PairResponse {
    state.withLock { state in
      let number = state.renewals[request.nonce] ?? UInt64(state.renewals.count) + 1
      state.renewals[request.nonce] = number
      return PairResponse(
        replica: ReplicaID(rawValue: 1000 + number), token: "renewed-\(number)",
        accountName: "home", serverTime: state.clock.now())
    }
  }

  /// Drops everything, like a replaced server.
  func wipe() {
    state.withLock {
      $0.records = [:]
      $0.histories = [:]
      $0.sorted = nil
      $0.names = []
      $0.outboxes = [:]
      $0.latestTime = HybridTime(rawValue: 0)
    }
  }

  /// Forgets half of the positions, as pruning does: clients at those reconcile.
  func forgetOldPositions() {
    state.withLock { $0.oldestPosition = $0.sequence / 2 + 1 }
  }

  /// A backup of everything.
  func backUp() -> State { state.withLock { $0 } }

  /// Restores a backup. The clock and randomness do not go back.
  func restore(_ copy: State) {
    state.withLock { state in
      let now = state
      state = copy
      state.commitCount = now.commitCount
      state.requests = now.requests
      state.renewals = now.renewals
      state.judgedCount = now.judgedCount
      state.unreadCount = now.unreadCount
    }
  }

  /// Goes back to a sequence, like a disk that lost its last commits. The server does not notice.
  func rollBack(to sequence: UInt64) {
    state.withLock {
      $0.records = $0.records.filter { $0.value.sequence <= sequence }
      $0.names = Array($0.names.prefix(Int(sequence)))
      $0.outboxes = [:]
      $0.sorted = nil
    }
  }

  var records: [Record] {
    state.withLock { $0.records.values.map(\.record).sorted { $0.key < $1.key } }
  }

  var journal: [Conflict] {
    records.filter { $0.key.kind == .conflict }.compactMap { try? Conflict($0) }
  }

  var requests: [ExchangeRequest] { state.withLock { $0.requests } }

  var head: Cursor { state.withLock { $0.head } }
}

extension ModelServer {
  /// Non-zero, unique, and in no order.
  static func name(ofCommit count: UInt64) -> UInt64 { count &* 0x9E37_79B9_7F4A_7C15 }
}

extension ModelServer.State {
  mutating func exchange(
    _ request: ExchangeRequest, as credential: String
  ) throws -> ExchangeResponse {
    requests.append(request)
    let now = clock.now()
    let isKnown = request.cursor.map(knows) ?? true
    let offers = try request.offers.map { try Offer(decoding: $0) }
    var outbox = outboxes[credential] ?? ModelServer.Outbox()
    let isConnected = request.segment?.follows(outbox.takenThrough) ?? true
    // Offers without a number are all new.
    let numbers = request.segment?.numbers.map { Optional($0) } ?? offers.map { _ in nil }
    let isNew = numbers.map { $0.map { $0 > outbox.takenThrough.number } ?? true }
    let held = request.allowsMassDeletion ? [] : massDeletions(offers, where: isNew)
    var refusals: [Refusal] = []
    var superseded: [UInt32] = []
    var echoes: Set<RecordKey> = []
    // A record's writes are accepted in order.
    var postponed: [RecordKey: Refusal.Reason] = [:]
    commitCount += 1
    for (index, offer) in offers.enumerated() {
      func refuse(_ reason: Refusal.Reason) {
        refusals.append(Refusal(index: index, reason: reason, message: "It was refused."))
      }
      guard isNew[index] else {
        // Judged before, and not judged again.
        if let number = numbers[index], let reason = outbox.refused[number] {
          if Refusal.Reason.transient.contains(reason) { postponed[offer.record.key] = reason }
          refuse(reason)
        }
        continue
      }
      guard isConnected else {
        unreadCount += 1
        continue
      }
      judgedCount += 1
      let reason =
        postponed[offer.record.key] ?? refusal(of: offer, at: now)
        ?? (held.contains(index) ? .massDeletion : nil)
      if let reason {
        if Refusal.Reason.transient.contains(reason) { postponed[offer.record.key] = reason }
        if let number = numbers[index] { outbox.refused[number] = reason }
        refuse(reason)
        continue
      }
      if offer.record.key.kind != .entitlement, let time = offer.record.latestTime {
        latestTime = max(latestTime, time)
      }
      let stored = records[offer.record.key]?.record
      let history = histories[offer.record.key] ?? RecordHistory()
      let outcome = offer.merged(into: stored, history: history, at: now)
      histories[offer.record.key] = outcome.history
      if outcome.isSuperseded { superseded.append(UInt32(index)) }
      if outcome.record != stored { append(outcome.record) }
      if outcome.record == offer.record {
        echoes.insert(offer.record.key)
      } else {
        echoes.remove(offer.record.key)
      }
      for conflict in outcome.conflicts where records[conflict.journalKey] == nil {
        append(conflict.journalRecord)
      }
    }
    if let segment = request.segment, isConnected, let last = segment.numbers.last {
      outbox.refused = outbox.refused.filter { $0.key > segment.settledThrough }
      outbox.takenThrough = OutboxPosition(
        number: max(outbox.takenThrough.number, last), token: segment.token)
      outboxes[credential] = outbox
    }
    let after = isKnown ? request.cursor?.sequence ?? 0 : 0
    let feed = records.values.filter { $0.sequence > after && !echoes.contains($0.record.key) }
      .sorted { $0.sequence < $1.sequence }
    let page = feed.prefix(pageRecords)
    let more = page.count < feed.count
    return ExchangeResponse(
      refusals: refusals, superseded: superseded, records: page.map(\.record.encoded),
      cursor: more ? position(of: page.last?.sequence ?? 0) : head,
      more: more, restarted: !isKnown, serverTime: now, head: head,
      takenThrough: request.segment.map { _ in outbox.takenThrough },
      isClockDoubtful: isClockDoubtful)
  }

  /// The position of a replica with everything up to a sequence.
  func position(of sequence: UInt64) -> Cursor {
    sequence == 0 ? .start : Cursor(commit: names[Int(sequence) - 1], sequence: sequence)
  }

  /// Whether a position is in this account's history.
  private func knows(_ position: Cursor) -> Bool {
    guard position.sequence <= sequence else { return false }
    return position == self.position(of: position.sequence)
      && (position.sequence == 0 || position.sequence >= oldestPosition)
  }

  /// The clock rule: the latest acceptable time of a field. See docs/protocol/merge.md.
  private func latestTaken(of offer: Offer, _ field: FieldNumber, at now: WallTime) -> HybridTime {
    let far = HybridTime(now.advanced(by: 100 * 365 * 24 * 3_600_000))
    if offer.wasAcknowledged(field) { return far }
    let byClock = HybridTime(now.advanced(by: 60_000))
    let restored = offer.isRestored ? offer.written : []
    let replaced = restored.compactMap { offer.record[$0]?.replaced?.time }
    let taken = replaced.filter { $0 <= far }.reduce(latestTime, max)
    return isSkewJudgedByClock
      ? byClock : max(byClock, HybridTime(rawValue: taken.rawValue + 1024))
  }

  private func refusal(of offer: Offer, at now: WallTime) -> Refusal.Reason? {
    let stored = records[offer.record.key]?.record
    if let reason = refuses(offer.record) { return reason }
    let isAhead = offer.record.registers.contains {
      $0.stamp.time > latestTaken(of: offer, $0.field, at: now) && stored?[$0.field] != $0
    }
    if isAhead { return .clockSkew }
    do { try offer.record.checkKindRules() } catch { return .invalid }
    return nil
  }

  /// Indices of the deletions among new offers, if they would delete more than half of the live
  /// records.
  private func massDeletions(_ offers: [Offer], where isNew: [Bool]) -> Set<Int> {
    let live = records.values.map(\.record).filter { !$0.isDeleted && $0.key.kind != .conflict }
    let deletions = offers.indices.filter { index in
      let offer = offers[index]
      return isNew[index] && offer.written.contains(Register.deletedField)
        && offer.record.isDeleted && live.contains { $0.key == offer.record.key }
    }
    return live.count >= massDeletionFloor && deletions.count * 2 > live.count
      ? Set(deletions) : []
  }

  /// Commits one record.
  mutating func put(_ record: Record) {
    commitCount += 1
    append(record)
  }

  private mutating func append(_ record: Record) {
    names.append(ModelServer.name(ofCommit: commitCount))
    records[record.key] = (sequence, record)
  }

  /// Range by range, with a scan of all records.
  mutating func reconcile(_ request: ReconcileRequest) -> ReconcileResponse {
    guard request.cursor.map(knows) ?? true else {
      return ReconcileResponse(ranges: [], serverTime: clock.now(), restarted: true)
    }
    if sorted?.sequence != sequence {
      let all = records.values.map { $0.record }.sorted { $0.key < $1.key }.map { record in
        (
          key: record.key.storageKey, bytes: record.encoded,
          hash: Fingerprint.hash(ofRecord: record.encoded)
        )
      }
      sorted = (sequence, all)
    }
    var all = (sorted?.records ?? [])[...]
    var answer = ReconcileResponse(ranges: [], serverTime: clock.now())
    var (begin, bytes): ([UInt8], Int) = ([], 0)
    func add(_ end: [UInt8], _ content: KeyRange.Content) {
      if content == .settled, answer.ranges.last?.content == .settled {
        answer.ranges[answer.ranges.count - 1].end = end
      } else {
        answer.ranges.append(KeyRange(end: end, content: content))
      }
    }
    for range in request.ranges {
      defer { begin = range.end }
      var mine = all.prefix { range.end.isEmpty || $0.key.lexicographicallyPrecedes(range.end) }
      all = all.dropFirst(mine.count)
      func fingerprint() -> Fingerprint {
        mine.reduce(into: Fingerprint()) { $0.add($1.hash) }
      }
      switch range.content {
      case .settled: add(range.end, .settled)
      case .fingerprint(let theirs):
        if theirs == fingerprint() {
          add(range.end, .settled)
          continue
        }
        let part = max(1, (mine.count + fanOut - 1) / fanOut)
        if min(UInt64(mine.count), theirs.count) > KeyRange.smallCount,
          answer.ranges.count + request.ranges.count + fanOut <= KeyRange.limit
        {
          var rest = mine
          while rest.count > part {
            mine = rest.prefix(part)
            rest = rest.dropFirst(part)
            add(rest.first?.key ?? [], .fingerprint(fingerprint()))
          }
          mine = rest
        }
        add(range.end, .fingerprint(fingerprint()))
      case .items(let items):
        var theirs = Dictionary(uniqueKeysWithValues: items.map { ($0.key, $0.hash) })
        var rest: [UInt8]?
        while let record = mine.first {
          let hash = theirs.removeValue(forKey: record.key)
          if hash != record.hash {
            if answer.records.count == pageRecords || bytes + record.bytes.count > Page.recordBytes
            {
              rest = record.key
              if hash != nil { theirs[record.key] = hash }
              break
            }
            answer.records.append(record.bytes)
            bytes += record.bytes.count
            if hash != nil { answer.wanted.append(record.key) }
          }
          mine.removeFirst()
        }
        answer.wanted += theirs.keys.filter { key in
          rest.map { key.lexicographicallyPrecedes($0) } ?? true
        }.sorted { $0.lexicographicallyPrecedes($1) }
        if let rest, rest != begin {
          add(rest, .settled)
          add(range.end, .fingerprint(fingerprint()))
        } else if rest != nil {
          add(range.end, .fingerprint(fingerprint()))
        } else {
          add(range.end, .settled)
        }
      }
    }
    return answer
  }
}
