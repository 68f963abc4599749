// SPDX-License-Identifier: Apache-2.0
// Brings a replica and its server level: pushes what waits, pulls what is new, compares where that is not enough.

import Replication
import SyncProtocol

/// Syncs a store over a transport. It keeps nothing itself: whatever happens to it, the store knows where to go on.
public struct SyncEngine: Sendable {
  let store: any ReplicaStore
  let transport: any SyncTransport
  let clock: any WallClock
  let pacing: Pacing

  /// How often one sync makes way for another of the same replica.
  static let siblingLimit = 50

  /// How many new identities one sync takes.
  static let renewalLimit = 3

  /// How often one sync lets a server start its feed over before it takes it for broken.
  static let restartLimit = 3

  /// An engine.
  public init(
    store: any ReplicaStore, transport: any SyncTransport, clock: any WallClock = SystemClock(),
    pacing: Pacing = Pacing()
  ) {
    self.store = store
    self.transport = transport
    self.clock = clock
    self.pacing = pacing
  }

  /// Pushes what waits and pulls what is new, until neither is left. Writes refused earlier are offered once more, last. Compares
  /// everything held with the server if the store demands it.
  ///
  /// - Parameters:
  ///   - allowingMassDeletion: The person wants most of what there is deleted.
  ///   - progress: Called after each answer was stored, with the sums so far.
  /// - Throws: `SyncError`. What was stored stays stored, and the next sync goes on from there. `.massDeletion` comes after
  ///   everything else was exchanged.
  @discardableResult
  public func sync(
    allowingMassDeletion: Bool = false, progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    let report = try await level(Run(allowsMassDeletion: allowingMassDeletion), progress)
    if let held = report.heldDeletions { throw .massDeletion(count: held.count, of: held.of) }
    return report
  }

  /// The same; deletions that wait for a person's word are no error, but in the report.
  ///
  /// - Parameter run: Whether to compare in any case, for one.
  func level(
    _ run: Run = Run(), _ progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    var run = run
    do {
      let refusedBefore = try await store.lastRefused()
      try await exchange(&run, progress)
      if refusedBefore > 0 { try await exchange(&run, retrying: refusedBefore, progress) }
      if run.hasClockSkew {
        // This device's clock was ahead. The server has now told the time.
        try await store.restamp(at: clock.now())
        run.report.refused = 0
        run.report.overQuota = 0
        try await exchange(&run, progress)
      }
      try await reconcile(&run, progress)
      try await store.noteSync(at: clock.now())
    } catch {
      throw SyncError(error)
    }
    return run.report
  }

  /// What one sync carries along.
  struct Run {
    var report = SyncReport()
    var allowsMassDeletion = false
    var hasClockSkew = false
    var restarts = 0
    /// The newest sync token of this run; nil until something is offered.
    var offering: Offering?
    /// In whose name the requests are made.
    var credential: String?
    /// Whether an answer took this replica for a copy, what token that was for, and how often it happened.
    var isForked = false
    var forkedToken: UInt64?
    var forks = 0
    var renewals = 0
    /// How often it turned out that another sync of the same replica had gone on.
    var siblings = 0
  }

  /// One request: where the replica stands when its answer comes, and what it offers.
  private struct Leg {
    var request: ExchangeRequest
    var page: OutboxPage
  }

  /// Exchanges pages until nothing is left; if the server takes this replica for a copy, finds out whether it is one, and goes on.
  func exchange(
    _ run: inout Run, retrying limit: Int64? = nil, _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    var limit = limit
    while true {
      run.isForked = false
      run.report.heldDeletions = try await store.holdMassDeletion(
        areAllowed: run.allowsMassDeletion)
      try await exchangeAll(&run, retrying: limit, progress)
      guard run.isForked else { return }
      // Another sync of this replica, in this process or another, may have gone on meanwhile; then the token is drawn anew from
      // what it left, and it was no copy that went on.
      if let mine = run.forkedToken, try await !store.isNewestToken(mine, of: run.credential) {
        try await makeWay(&run)
        continue
      }
      run.offering = nil
      run.forks += 1
      guard run.forks > 1 else { continue }
      // Copies made while one asked for a new identity may get the same, and part once more.
      run.forks = 0
      run.renewals += 1
      guard run.renewals <= SyncEngine.renewalLimit else {
        throw SyncError.badAnswer("it takes a new device for a copy of another")
      }
      let renewal = try await store.renewal()
      let identity = try await repeated { () throws(SyncError) in
        try await transport.renew(renewal)
      }
      do {
        if try await store.adopt(renewed: identity, insteadOf: run.credential) {
          run.report.isRenewed = true
        } else {
          try await makeWay(&run)
        }
      } catch {
        throw SyncError(storing: error)
      }
      limit = nil  // Everything is in the outbox anew, and nothing in it was refused.
    }
  }

  /// Lets another sync of the same replica go first.
  private func makeWay(_ run: inout Run) async throws {
    run.offering = nil
    run.forks = 0
    run.siblings += 1
    guard run.siblings <= SyncEngine.siblingLimit else {
      throw SyncError.unreachable("other syncs of this replica are under way")
    }
    try await pacing.sleep(pacing.delay(after: run.siblings))
  }

  /// Exchanges pages until nothing is left. While an answer is being stored the next request is on its way already: it is made from the answer's
  /// place and from younger writes, so nothing in it depends on what is being stored, and repeating it changes nothing.
  ///
  /// - Parameter limit: If given, only writes refused before are offered, up to this number.
  private func exchangeAll(
    _ run: inout Run, retrying limit: Int64?, _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    let standing = try await store.standing()
    if let credential = standing.credential { try transport.use(credential) }
    run.credential = standing.credential
    var leg = try await leg(standing, page(after: 0, limit, run), &run)
    if limit != nil, leg.page.offers.isEmpty { return }
    var last = leg.page.sequences.last ?? 0
    var answer = try await ask(leg.request)
    var waiting = try await page(after: last, limit, run)
    while true {
      let isRestart = try check(answer, to: leg.request)
      let place = Standing(
        cursor: answer.place(afterRestart: isRestart), seen: answer.headPlace)
      if (answer.more && !isRestart) || !waiting.offers.isEmpty {
        let next = try await self.leg(place, waiting, &run)
        last = waiting.sequences.last ?? last
        async let reply = ask(next.request)
        try await apply(answer, to: leg, &run, progress)
        waiting = try await page(after: last, limit, run)
        answer = try await reply
        leg = next
      } else {
        try await apply(answer, to: leg, &run, progress)
        // What was written meanwhile.
        waiting = try await page(after: last, limit, run)
        guard let newest = waiting.sequences.last else { return }
        last = newest
        leg = try await self.leg(place, waiting, &run)
        answer = try await ask(leg.request)
        waiting = try await page(after: last, limit, run)
      }
    }
  }

  private func leg(
    _ standing: Standing, _ page: OutboxPage, _ run: inout Run
  ) async throws -> Leg {
    if let youngest = page.sequences.last, youngest > run.offering?.through ?? 0 {
      run.offering = try await store.beginOffering()
    }
    let request = ExchangeRequest(
      cursor: standing.cursor, offers: page.offers, seen: standing.seen,
      token: page.offers.isEmpty ? nil : run.offering?.token,
      allowsMassDeletion: run.allowsMassDeletion)
    return Leg(request: request, page: page)
  }

  private func page(after sequence: Int64, _ limit: Int64?, _ run: Run) async throws -> OutboxPage {
    // Nothing is taken of a copy, so nothing more is offered until that is settled.
    guard !run.isForked else { return OutboxPage() }
    var page = try await store.outboxPage(after: sequence, refused: limit != nil)
    if let limit {
      let count = page.sequences.prefix { $0 <= limit }.count
      page.sequences.removeSubrange(count...)
      page.offers.removeSubrange(count...)
    }
    return page
  }

  /// Whether the server lost something.
  func check(
    _ answer: ExchangeResponse, to request: ExchangeRequest
  ) throws(SyncError) -> Bool {
    if answer.isRestart(after: request.cursor, seen: request.seen) { return true }
    // A server that always has more, and never moves on, would keep a replica busy for ever.
    guard !answer.more || answer.cursor.sequence > request.cursor?.sequence ?? 0 else {
      throw .badAnswer("there is more, but the feed does not move")
    }
    return false
  }

  private func apply(
    _ answer: ExchangeResponse, to leg: Leg, _ run: inout Run,
    _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    let applied: AppliedAnswer
    do {
      applied = try await store.apply(
        answer, to: leg.request, page: leg.page, at: clock.now())
    } catch {
      throw SyncError(storing: error)
    }
    run.report.exchanges += 1
    run.report.pushed += applied.acknowledged
    run.report.refused += applied.refused
    run.report.overQuota += applied.overQuota
    run.report.pulled += answer.records.count
    run.report.superseded += answer.superseded.count
    run.report.conflicts += applied.conflicts
    if applied.hasClockSkew { run.hasClockSkew = true }
    if applied.isForked {
      run.isForked = true
      run.forkedToken = leg.request.token?.next
    }
    // Where the server counted otherwise than this replica did.
    if let held = applied.heldDeletions { run.report.heldDeletions = held }
    if applied.isRestarted {
      run.report.restarted = true
      run.restarts += 1
      guard run.restarts <= SyncEngine.restartLimit else {
        throw SyncError.badAnswer("the feed starts over again and again")
      }
    }
    progress(run.report)
  }

  private func ask(_ request: ExchangeRequest) async throws -> ExchangeResponse {
    try await repeated { () throws(SyncError) in try await transport.exchange(request) }
  }

  /// One call, tried again while what stops it may pass by itself.
  func repeated<Answer: Sendable>(
    _ call: () async throws(SyncError) -> Answer
  ) async throws -> Answer {
    var failures = 0
    while true {
      do {
        return try await call()
      } catch {
        failures += 1
        guard error.isTransient, failures < pacing.attempts else { throw error }
      }
      try await pacing.sleep(pacing.delay(after: failures))
    }
  }
}

extension SyncError {
  /// What any error of a sync means.
  init(_ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as ReplicaError: self = .replica(error)
    default: self = .cancelled
    }
  }

  /// What it means that an answer could not be stored.
  init(storing error: any Error) {
    if case ReplicaError.invalid(let rule) = error {
      self = .badAnswer(rule)
    } else {
      self.init(error)
    }
  }
}
