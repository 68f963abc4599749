// SPDX-License-Identifier: Apache-2.0
// The sync engine: pushes waiting writes, pulls new records, and reconciles if that is not enough.

import AtrestReplication
import AtrestWire

/// Syncs a store over a transport. The engine is stateless: after any interruption the store knows
/// where to resume.
public struct SyncEngine: Sendable {
  let store: any ReplicaStore
  let transport: any SyncTransport
  let clock: any WallClock
  let pacing: Pacing

  /// The most repeats in one sync after the server left offers unjudged or an answer could not be
  /// stored. Concurrent syncs of one replica cause both, by moving each other's positions.
  static let repeatLimit = 50

  /// The most new identities taken in one sync.
  static let renewalLimit = 3

  /// The most restarts of the feed accepted in one sync before the server counts as broken.
  static let restartLimit = 3

  /// Creates an engine on a store and a transport.
  public init(
    store: any ReplicaStore, transport: any SyncTransport, clock: any WallClock = SystemClock(),
    pacing: Pacing = Pacing()
  ) {
    self.store = store
    self.transport = transport
    self.clock = clock
    self.pacing = pacing
  }

  /// Pushes waiting writes and pulls new records until none are left. Offers earlier refused writes
  /// once more, last. Reconciles if the store demands it.
  ///
  /// - Parameters:
  ///   - allowingMassDeletion: Whether the person confirmed that most records be deleted.
  ///   - progress: Called after each stored answer with the totals so far.
  /// - Throws: `SyncError`. What was stored stays stored, and the next sync continues from there.
  ///   `.massDeletion` comes after everything else was exchanged.
  @discardableResult
  public func sync(
    allowingMassDeletion: Bool = false, progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    let report = try await runCycle(Run(allowsMassDeletion: allowingMassDeletion), progress)
    if let held = report.heldDeletions { throw .massDeletion(count: held.count, of: held.of) }
    return report
  }

  /// Like `sync`, but reports held deletions instead of throwing.
  ///
  /// - Parameter run: The initial state, for example whether mass deletion is allowed.
  func runCycle(
    _ run: Run = Run(), _ progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    var run = run
    do {
      let refusedBefore = try await store.lastRefused()
      try await exchange(&run, progress)
      if refusedBefore > 0 {
        try await store.retryRefused(through: refusedBefore)
        try await exchange(&run, progress)
      }
      if run.hasClockSkew {
        // This device's clock was ahead. The answer has corrected it.
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

  /// The state of one sync.
  struct Run {
    var report = SyncReport()
    var allowsMassDeletion = false
    var hasClockSkew = false
    var restarts = 0
    /// The credential of its requests.
    var credential: String?
    /// Whether an answer showed that this replica is a copy, and how many new identities it took.
    var isForked = false
    var renewals = 0
    /// Whether an answer left offers unjudged or was overtaken by another sync, and how many
    /// repeats that caused.
    var mustAskAgain = false
    var repeats = 0
  }

  /// One request with the outbox page that it carries.
  private struct Attempt {
    var request: ExchangeRequest
    var page: OutboxPage
  }

  /// Exchanges pages until none are left. Takes a new identity if this replica turns out to be a
  /// copy.
  func exchange(
    _ run: inout Run, _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    while true {
      run.isForked = false
      run.mustAskAgain = false
      run.report.heldDeletions = try await store.holdMassDeletion(
        areAllowed: run.allowsMassDeletion)
      try await exchangeAll(&run, progress)
      if run.isForked {
        try await renew(&run)
      } else if run.mustAskAgain {
        try await waitToAskAgain(&run)
      } else {
        return
      }
    }
  }

  /// Backs off, so that other syncs of this replica can proceed.
  func waitToAskAgain(_ run: inout Run) async throws {
    run.repeats += 1
    guard run.repeats <= SyncEngine.repeatLimit else {
      throw SyncError.unreachable("other syncs of this replica are under way")
    }
    if run.repeats > 1 { try await pacing.sleep(pacing.delay(after: run.repeats)) }
  }

  /// Takes a new identity, unless another sync of this replica took one in the meantime.
  private func renew(_ run: inout Run) async throws {
    // Another sync took a new identity or left the account, so the answer no longer applies.
    guard try await store.position().credential == run.credential else { return }
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
      }
    } catch {
      throw SyncError(storing: error)
    }
  }

  /// Exchanges pages until none are left. The next request is sent while an answer is being stored.
  /// It consists of the answer's positions and of newer writes, so it does not depend on what is
  /// being stored, and it is idempotent.
  private func exchangeAll(
    _ run: inout Run, _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    let position = try await store.position()
    if let credential = position.credential { try transport.use(credential) }
    run.credential = position.credential
    var attempt = self.attempt(at: position, try await store.nextPage(after: 0), run)
    var last: UInt64 = 0
    var (answer, reading) = try await ask(attempt.request)
    while true {
      last = attempt.page.segment?.numbers.last ?? last
      let isRestart = try check(answer, to: attempt.request)
      let place = SyncPosition(
        cursor: answer.cursor(afterRestart: isRestart), lastKnownHead: answer.head)
      // Unjudged offers must be sent again before newer ones, and a refusal may hold back later
      // writes of its record.
      let mayGoOn =
        !run.isForked && !run.mustAskAgain && answer.hasRead(attempt.page)
        && answer.refusals.isEmpty
      var waiting = mayGoOn ? try await store.nextPage(after: last) : OutboxPage()
      if mayGoOn, !waiting.offers.isEmpty || (answer.more && !isRestart) {
        // Shows the server its own position, so no extra round trip is needed to confirm it.
        if let token = answer.takenThrough?.token { waiting.segment?.confirmed = token }
        let next = self.attempt(at: place, waiting, run)
        async let reply = ask(next.request)
        try await apply(answer, reading, to: attempt, &run, progress)
        (answer, reading) = try await reply
        attempt = next
      } else {
        try await apply(answer, reading, to: attempt, &run, progress)
        guard !run.isForked, !run.mustAskAgain else { return }
        // Writes made in the meantime.
        waiting = try await store.nextPage(after: last)
        guard !waiting.offers.isEmpty || (answer.more && !isRestart) else { return }
        attempt = self.attempt(at: place, waiting, run)
        (answer, reading) = try await ask(attempt.request)
      }
    }
  }

  private func attempt(at position: SyncPosition, _ page: OutboxPage, _ run: Run) -> Attempt {
    Attempt(
      request: ExchangeRequest(
        cursor: position.cursor, offers: page.offers,
        lastKnownHead: position.lastKnownHead, segment: page.segment,
        allowsMassDeletion: run.allowsMassDeletion, deviceTime: clock.now()),
      page: page)
  }

  /// Whether the server lost something.
  func check(
    _ answer: ExchangeResponse, to request: ExchangeRequest
  ) throws(SyncError) -> Bool {
    if answer.isRestart(after: request) { return true }
    // A server that always has more but never advances would keep a replica busy for ever.
    guard !answer.more || answer.cursor.sequence > request.cursor?.sequence ?? 0 else {
      throw .badAnswer("there is more, but the feed does not move")
    }
    return false
  }

  private func apply(
    _ answer: ExchangeResponse, _ reading: Reading, to attempt: Attempt, _ run: inout Run,
    _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    let applied: AppliedAnswer
    do {
      applied = try await store.apply(
        answer, to: attempt.request, page: attempt.page, at: reading)
    } catch {
      throw SyncError(storing: error)
    }
    run.report.exchanges += 1
    guard !applied.isOvertaken else {
      run.mustAskAgain = true
      return
    }
    run.report.pushed += applied.acknowledged
    run.report.refused += applied.refused
    run.report.overQuota += applied.overQuota
    run.report.pulled += answer.records.count
    run.report.superseded += answer.superseded.count
    run.report.conflicts += applied.conflicts
    if applied.hasClockSkew { run.hasClockSkew = true }
    if applied.isForked { run.isForked = true }
    if applied.isUnread { run.mustAskAgain = true }
    // The server's count may differ from this replica's.
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

  private func ask(
    _ request: ExchangeRequest
  ) async throws -> (ExchangeResponse, Reading) {
    try await repeated { () throws(SyncError) in
      let asked = clock.uptimeMilliseconds()
      let answer = try await transport.exchange(request)
      let read = clock.uptimeMilliseconds()
      // Without a monotonic clock the answer is assumed to have arrived at once.
      let waited = asked.flatMap { asked in read.map { max(0, $0 - asked) } } ?? 0
      return (answer, Reading(now: clock.now(), waited: waited))
    }
  }

  /// Makes a call and retries transient errors.
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

extension ExchangeResponse {
  /// Whether the server judged all offers of a page, according to its position.
  fileprivate func hasRead(_ page: OutboxPage) -> Bool {
    guard let segment = page.segment, let last = segment.numbers.last else { return true }
    guard let takenThrough else { return false }
    return takenThrough.token == segment.token && takenThrough.number >= last
  }
}

extension SyncError {
  /// Maps any error of a sync.
  init(_ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as ReplicaError: self = .replica(error)
    default: self = .cancelled
    }
  }

  /// Maps a failure to store an answer: a broken rule is the server's fault.
  init(storing error: any Error) {
    if let error = error as? ReplicaError, case .invalid(let rule) = error.reason {
      self = .badAnswer(rule)
    } else {
      self.init(error)
    }
  }
}
