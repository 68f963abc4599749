// SPDX-License-Identifier: Apache-2.0
// Brings a replica and its server level: pushes what waits, pulls what is new, page by page.

import Replication
import SyncProtocol

/// Syncs a store over a transport. It keeps nothing itself: whatever happens to it, the store knows where to go on.
public struct SyncEngine: Sendable {
  let store: any ReplicaStore
  let transport: any SyncTransport
  let clock: any WallClock
  let pacing: Pacing

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

  /// Pushes what waits and pulls what is new, until neither is left. Writes refused earlier are offered once more, last.
  ///
  /// - Parameter progress: Called after each answer was stored, with the sums so far.
  /// - Throws: `SyncError`. What was stored stays stored, and the next sync goes on from there.
  @discardableResult
  public func sync(
    progress: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    var run = Run()
    do {
      let refusedBefore = try await store.lastRefused()
      try await exchangeAll(&run, progress)
      if refusedBefore > 0 { try await exchangeAll(&run, retrying: refusedBefore, progress) }
      if run.hasClockSkew {
        // This device's clock was ahead. The server has now told the time.
        try await store.restamp(at: clock.now())
        run.report.refused = 0
        try await exchangeAll(&run, progress)
      }
      try await store.noteSync(at: clock.now())
    } catch {
      throw SyncError(error)
    }
    return run.report
  }

  private struct Run {
    var report = SyncReport()
    var hasClockSkew = false
    var restarts = 0
  }

  /// One request: where the replica stands when its answer comes, and what it offers.
  private struct Leg {
    var cursor: Cursor?
    var page: OutboxPage
  }

  /// Exchanges pages until nothing is left. While an answer is being stored the next request is on its way already: it is made from the answer's
  /// cursor and from younger writes, so nothing in it depends on what is being stored, and repeating it changes nothing.
  ///
  /// - Parameter limit: If given, only writes refused before are offered, up to this number.
  private func exchangeAll(
    _ run: inout Run, retrying limit: Int64? = nil, _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    var leg = Leg(cursor: try await store.cursor(), page: try await page(after: 0, limit))
    if limit != nil, leg.page.offers.isEmpty { return }
    var last = leg.page.sequences.last ?? 0
    var answer = try await ask(leg)
    var waiting = try await page(after: last, limit)
    while true {
      try check(answer, to: leg)
      var next: Leg?
      if answer.more || !waiting.offers.isEmpty {
        next = Leg(cursor: answer.cursor, page: waiting)
        last = waiting.sequences.last ?? last
      }
      if let next {
        async let reply = ask(next)
        try await apply(answer, to: leg, &run, progress)
        waiting = try await page(after: last, limit)
        answer = try await reply
        leg = next
      } else {
        try await apply(answer, to: leg, &run, progress)
        // What was written or queued again meanwhile.
        waiting = try await page(after: last, limit)
        guard let newest = waiting.sequences.last else { return }
        last = newest
        leg = Leg(cursor: answer.cursor, page: waiting)
        answer = try await ask(leg)
        waiting = try await page(after: last, limit)
      }
    }
  }

  private func page(after sequence: Int64, _ limit: Int64?) async throws -> OutboxPage {
    var page = try await store.outboxPage(after: sequence, refused: limit != nil)
    if let limit {
      let count = page.sequences.prefix { $0 <= limit }.count
      page.sequences.removeSubrange(count...)
      page.offers.removeSubrange(count...)
    }
    return page
  }

  private func check(_ answer: ExchangeResponse, to leg: Leg) throws(SyncError) {
    // A server that always has more, and never moves on, would keep a replica busy for ever.
    guard answer.more, !answer.restarted, let cursor = leg.cursor,
      cursor.epoch == answer.cursor.epoch, answer.cursor.sequence <= cursor.sequence
    else { return }
    throw .badAnswer("there is more, but the feed does not move")
  }

  private func apply(
    _ answer: ExchangeResponse, to leg: Leg, _ run: inout Run,
    _ progress: @Sendable (SyncReport) -> Void
  ) async throws {
    let applied: AppliedAnswer
    do {
      applied = try await store.apply(
        answer, request: leg.cursor, page: leg.page, at: clock.now())
    } catch ReplicaError.invalid(let rule) {
      throw SyncError.badAnswer(rule)
    }
    run.report.exchanges += 1
    run.report.pushed += applied.acknowledged
    run.report.refused += applied.refused
    run.report.pulled += answer.records.count
    run.report.superseded += answer.superseded.count
    run.report.conflicts += applied.conflicts
    if applied.clockSkew { run.hasClockSkew = true }
    if applied.requeued {
      run.report.restarted = true
      run.restarts += 1
      guard run.restarts <= SyncEngine.restartLimit else {
        throw SyncError.badAnswer("the feed starts over again and again")
      }
    }
    progress(run.report)
  }

  /// One request, tried again while what stops it may pass by itself.
  private func ask(_ leg: Leg) async throws -> ExchangeResponse {
    let request = ExchangeRequest(cursor: leg.cursor, offers: leg.page.offers)
    var failures = 0
    while true {
      do {
        return try await transport.exchange(request)
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
}
