// SPDX-License-Identifier: Apache-2.0
// Makes a replica and its server hold the same: pushes what waits, pulls what is new, compares
// where that is not enough.

import AtrestProtocol
import AtrestReplication

/// Syncs a store over a transport. It keeps nothing itself: whatever happens to it, the store knows
/// where to go on.
public struct SyncEngine: Sendable {
  let store: any ReplicaStore
  let transport: any SyncTransport
  let clock: any WallClock
  let pacing: Pacing

  /// How often one sync asks again, because the server did not look at what it offered, or because
  /// its answer could not be stored: concurrent syncs of one replica move its positions under each
  /// other's feet.
  static let repeatLimit = 50

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

  /// Pushes what waits and pulls what is new, until neither is left. Writes refused earlier are
  /// offered once more, last. Compares everything held with the server if the store demands it.
  ///
  /// - Parameters:
  ///   - allowingMassDeletion: The person wants most of what there is deleted.
  ///   - progress: Called after each answer was stored, with the sums so far.
  /// - Throws: `SyncError`. What was stored stays stored, and the next sync goes on from there.
  ///   `.massDeletion` comes after everything else was exchanged.
  @discardableResult
  public func sync(
    allowingMassDeletion: Bool = false, progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    let report = try await runCycle(Run(allowsMassDeletion: allowingMassDeletion), progress)
    if let held = report.heldDeletions { throw .massDeletion(count: held.count, of: held.of) }
    return report
  }

  /// The same; deletions that wait for a person's word are no error, but in the report.
  ///
  /// - Parameter run: Whether to compare in any case, for one.
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
    /// In whose name the requests are made.
    var credential: String?
    /// Whether an answer showed that this replica is a copy, and how often it took a new identity.
    var isForked = false
    var renewals = 0
    /// Whether an answer left offers unread, or was overtaken by another sync's; and how often that
    /// was asked again.
    var mustAskAgain = false
    var repeats = 0
  }

  /// One request, and the part of the outbox that it offers.
  private struct Attempt {
    var request: ExchangeRequest
    var page: OutboxPage
  }

  /// Exchanges pages until nothing is left; takes a new identity if this replica turns out to be a
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

  /// Lets the other syncs of this replica go on, ever longer.
  func waitToAskAgain(_ run: inout Run) async throws {
    run.repeats += 1
    guard run.repeats <= SyncEngine.repeatLimit else {
      throw SyncError.unreachable("other syncs of this replica are under way")
    }
    if run.repeats > 1 { try await pacing.sleep(pacing.delay(after: run.repeats)) }
  }

  /// Takes a new identity, unless another sync of this replica has taken one meanwhile.
  private func renew(_ run: inout Run) async throws {
    // Another sync has taken one, or left the account: what that answer spoke of is nobody's any
    // more.
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

  /// Exchanges pages until nothing is left. While an answer is being stored the next request is on
  /// its way already: it is made from the answer's positions and from younger writes, so nothing in
  /// it depends on what is being stored, and repeating it changes nothing.
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
      // What the server did not look at comes first, before anything younger; and what it refused
      // may keep later writes of a record back.
      let mayGoOn =
        !run.isForked && !run.mustAskAgain && answer.hasRead(attempt.page)
        && answer.refusals.isEmpty
      var waiting = mayGoOn ? try await store.nextPage(after: last) : OutboxPage()
      if mayGoOn, !waiting.offers.isEmpty || (answer.more && !isRestart) {
        // A server that is still where this replica knows it to be needs no round trip to find out.
        if let token = answer.takenThrough?.token { waiting.segment?.confirmed = token }
        let next = self.attempt(at: place, waiting, run)
        async let reply = ask(next.request)
        try await apply(answer, reading, to: attempt, &run, progress)
        (answer, reading) = try await reply
        attempt = next
      } else {
        try await apply(answer, reading, to: attempt, &run, progress)
        guard !run.isForked, !run.mustAskAgain else { return }
        // What was written meanwhile.
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
    // A server that always has more, and never moves on, would keep a replica busy for ever.
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

  private func ask(
    _ request: ExchangeRequest
  ) async throws -> (ExchangeResponse, Reading) {
    try await repeated { () throws(SyncError) in
      let asked = clock.uptimeMilliseconds()
      let answer = try await transport.exchange(request)
      let read = clock.uptimeMilliseconds()
      // Without such a clock an answer is taken to have come at once.
      let waited = asked.flatMap { asked in read.map { max(0, $0 - asked) } } ?? 0
      return (answer, Reading(now: clock.now(), waited: waited))
    }
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

extension ExchangeResponse {
  /// Whether the server judged all offers of a page, as far as its numbers say.
  fileprivate func hasRead(_ page: OutboxPage) -> Bool {
    guard let segment = page.segment, let last = segment.numbers.last else { return true }
    guard let takenThrough else { return false }
    return takenThrough.token == segment.token && takenThrough.number >= last
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
    if let error = error as? ReplicaError, case .invalid(let rule) = error.reason {
      self = .badAnswer(rule)
    } else {
      self.init(error)
    }
  }
}
