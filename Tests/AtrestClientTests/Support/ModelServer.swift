// SPDX-License-Identifier: Apache-2.0
// A small, correct server in memory: what the contract asks, as plainly as it can be put.

import AtrestClient
import Foundation
import Replication
import SyncProtocol
import Synchronization

/// One account of a server. It is made anew for each test and never survives it.
final class ModelServer: Sendable {
  struct State {
    /// The lives this one descends from, and the head at which each ended; and itself.
    var lives: [(epoch: UInt64, end: UInt64)] = []
    var epoch: UInt64 = 7
    var sequence: UInt64 = 0
    var records: [RecordKey: (sequence: UInt64, record: Record)] = [:]
    /// The sync token of each device, by its credential.
    var tokens: [String: UInt64] = [:]
    /// Whether a token changes hands also when nothing of what came with it is taken.
    var rotatesAlways = true
    var renewals: [[UInt8]: UInt64] = [:]
    var pageRecords = Page.records
    var clock: TestClock
    var requests: [ExchangeRequest] = []
    var refuses: @Sendable (Record) -> Refusal.Reason? = { _ in nil }
    /// Every record by key, with its hash, as of a sequence; for comparisons.
    var sorted: (sequence: UInt64, records: [(key: [UInt8], bytes: [UInt8], hash: UInt64)])?
    /// Parts that a comparison cuts a differing range into; the contract asks for none.
    var fanOut = 16
    /// Live records below which nobody is asked about deletions.
    var massDeletionFloor = 20
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

  /// Starts again with everything it held.
  func restart() {
    state.withLock { state in
      state.lives.append((state.epoch, state.sequence))
      state.epoch += 1
    }
  }

  /// Forgets everything, as a server does that was replaced.
  func wipe() {
    state.withLock {
      $0.records = [:]
      $0.sorted = nil
      $0.sequence = 0
      $0.lives = []
      $0.tokens = [:]
      $0.epoch += 1
    }
  }

  /// A copy of everything, to be put back.
  func backUp() -> State { state.withLock { $0 } }

  /// Is put back from a copy, and started.
  func restore(_ copy: State) {
    state.withLock { state in
      let (epoch, requests, renewals) = (state.epoch, state.requests, state.renewals)
      state = copy
      state.lives.append((copy.epoch, copy.sequence))
      state.epoch = epoch + 1
      state.requests = requests
      state.renewals = renewals
    }
  }

  /// Goes back to what it held after a sequence, without noticing: a disk that lost its last commits.
  func rollBack(to sequence: UInt64) {
    state.withLock {
      $0.records = $0.records.filter { $0.value.sequence <= sequence }
      $0.sequence = sequence
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
}

extension ModelServer.State {
  mutating func exchange(
    _ request: ExchangeRequest, as credential: String
  ) throws -> ExchangeResponse {
    requests.append(request)
    let now = clock.now()
    // A store that does not descend from what the replica has seen cannot judge its token either.
    let isKnown = [request.cursor, request.seen].allSatisfy { place in place.map(knows) ?? true }
    let offers = try request.offers.map { try Offer(decoding: $0) }
    var refusals: [Refusal] = []
    var superseded: [UInt32] = []
    var echoes: Set<RecordKey> = []
    if let token = request.token, isKnown, !token.follows(tokens[credential] ?? 0) {
      refusals = offers.indices.map { Refusal(index: $0, reason: .forked, message: "A copy.") }
    } else {
      if let token = request.token,
        rotatesAlways || offers.contains(where: { refusal(of: $0, at: now) == nil })
      {
        tokens[credential] = token.next
      }
      let held = request.allowsMassDeletion ? [] : massDeletions(offers)
      for (index, offer) in offers.enumerated() {
        if let reason = refusal(of: offer, at: now) ?? (held.contains(index) ? .massDeletion : nil)
        {
          refusals.append(Refusal(index: index, reason: reason, message: "It was refused."))
          continue
        }
        let stored = records[offer.record.key]?.record
        let outcome = offer.merged(into: stored, at: now)
        if outcome.isSuperseded { superseded.append(UInt32(index)) }
        if outcome.record != stored { put(outcome.record) }
        if outcome.record == offer.record {
          echoes.insert(offer.record.key)
        } else {
          echoes.remove(offer.record.key)
        }
        for conflict in outcome.conflicts where records[conflict.journalKey] == nil {
          put(conflict.journalRecord)
        }
      }
    }
    let after = isKnown ? request.cursor?.sequence ?? 0 : 0
    let feed = records.values.filter { $0.sequence > after && !echoes.contains($0.record.key) }
      .sorted { $0.sequence < $1.sequence }
    let page = feed.prefix(pageRecords)
    let more = page.count < feed.count
    return ExchangeResponse(
      refusals: refusals, superseded: superseded, records: page.map(\.record.encoded),
      cursor: Cursor(epoch: epoch, sequence: more ? page.last?.sequence ?? 0 : sequence),
      more: more, restarted: !isKnown, serverTime: now, head: sequence)
  }

  /// Whether this life has what lies before a place.
  private func knows(_ place: Cursor) -> Bool {
    place.epoch == epoch
      ? place.sequence <= sequence
      : lives.contains { $0.epoch == place.epoch && place.sequence <= $0.end }
  }

  private func refusal(of offer: Offer, at now: WallTime) -> Refusal.Reason? {
    let limit = HybridTime(WallTime(milliseconds: now.milliseconds + 60_000))
    let stored = records[offer.record.key]?.record
    if let reason = refuses(offer.record) { return reason }
    if offer.record.registers.contains(where: { $0.stamp.time > limit && stored?[$0.field] != $0 })
    {
      return .clockSkew
    }
    do { try offer.record.checkKindRules() } catch { return .invalid }
    return nil
  }

  /// Indices of the deletions among offers, if they would delete more than half of what is there.
  private func massDeletions(_ offers: [Offer]) -> Set<Int> {
    let live = records.values.map(\.record).filter { !$0.isDeleted && $0.key.kind != .conflict }
    let deletions = offers.indices.filter { index in
      let offer = offers[index]
      return offer.written.contains(Register.deletedField) && offer.record.isDeleted
        && live.contains { $0.key == offer.record.key }
    }
    return live.count >= massDeletionFloor && deletions.count * 2 > live.count
      ? Set(deletions) : []
  }

  mutating func put(_ record: Record) {
    sequence += 1
    records[record.key] = (sequence, record)
  }

  /// Range by range, by looking at every record.
  mutating func reconcile(_ request: ReconcileRequest) -> ReconcileResponse {
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
