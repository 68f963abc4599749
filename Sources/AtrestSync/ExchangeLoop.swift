// SPDX-License-Identifier: Apache-2.0
// Exchanges pages until none are left.

import AtrestReplication
import AtrestWire

/// The state machine of an exchange in pages. The next request travels while an answer is being
/// stored: it consists of the answer's positions and of younger writes, so it does not depend on
/// what is being stored, and repeating it changes nothing.
///
///     holding ─▶ locating ─▶ filling ─▶ asking ──answer─▶ paging ─▶ storing ─▶ refilling ─▶ over
///        ▲                                ▲                            │ │ │         │
///        │                                ├─────the next one travels───┘ │ │         │
///        │                                └──────────────────────────────┼─┼──more───┘
///        ├──pausing ◀────────────the server must be asked again──────────┘ │
///        └──adopting ◀─ renewing ◀─ reading ◀─ checking ◀─it is a copy─────┘
struct ExchangeLoop: Hashable {
  enum Step: Hashable {
    case proceed([SyncAction])
    /// Nothing is left to exchange.
    case over
  }

  private struct Answer: Hashable {
    var response: ExchangeResponse
    var reading: Reading
    var isRestart: Bool

    var position: SyncPosition {
      SyncPosition(cursor: response.cursor(afterRestart: isRestart), head: response.head)
    }

    /// Whether the feed goes on after it.
    var hasMore: Bool { response.more && !isRestart }
  }

  /// The request that travels while an answer is being stored.
  private enum Ahead: Hashable {
    case none
    case asking(ExchangeAttempt, SyncCall)
    case answered(ExchangeAttempt, ExchangeResponse, Reading)
    case failed(SyncError)
  }

  private enum State: Hashable {
    case holding
    case locating
    case filling(SyncPosition)
    case asking(ExchangeAttempt, SyncCall)
    case paging(ExchangeAttempt, Answer)
    case storing(Answer, Ahead)
    case refilling(Answer)
    case pausing
    case checking
    case reading
    case renewing(SyncCall)
    case adopting
  }

  private var state = State.holding
  /// Whether an answer showed that this replica is a copy.
  private var isForked = false
  /// Whether an answer left offers unjudged or was overtaken by another sync.
  private var mustAskAgain = false
  /// The last number of the outbox that was sent.
  private var last: UInt64 = 0

  /// The first action.
  static func begin(_ run: SyncRun) -> (ExchangeLoop, SyncAction) {
    (ExchangeLoop(), .perform(.holdMassDeletion(areAllowed: run.allowsMassDeletion)))
  }

  private mutating func startOver(_ run: SyncRun) -> SyncAction {
    let (loop, action) = ExchangeLoop.begin(run)
    self = loop
    return action
  }

  /// Advances by one event.
  /// - Throws: What ends the sync.
  mutating func handle(
    _ event: SyncEvent, at now: WallTime, _ run: inout SyncRun
  ) throws(SyncError) -> Step {
    switch event {
    case .stored(let reply): try stored(reply, at: now, &run)
    case .storeFailed(let error): throw failure(error)
    case .answered(let answer, let reading): try answered(answer, reading, at: now, &run)
    case .callFailed(let error): try failed(error, run)
    case .waited: waited(run)
    case .cancelled: throw .cancelled
    }
  }

  // MARK: The store

  private mutating func stored(
    _ reply: StoreReply, at now: WallTime, _ run: inout SyncRun
  ) throws(SyncError) -> Step {
    switch (state, reply) {
    case (.holding, .held(let held)):
      run.report.heldDeletions = held
      state = .locating
      return .proceed([.perform(.position)])

    case (.locating, .position(let position)):
      run.credential = position.credential
      state = .filling(position)
      return .proceed([.perform(.nextPage(after: 0))])

    case (.filling(let position), .page(let page)):
      return .proceed([ask(attempt(at: position, page, now, run), run)])

    case (.paging(let attempt, let answer), .page(var page)):
      let store = SyncAction.perform(.apply(answer.response, to: attempt, at: answer.reading))
      guard !page.offers.isEmpty || answer.hasMore else {
        state = .storing(answer, .none)
        return .proceed([store])
      }
      // Shows the server its own position, so no extra round trip is needed to confirm it.
      if let position = answer.response.takenThrough { page.segment?.confirmed = position }
      let next = self.attempt(at: answer.position, page, now, run)
      let call = SyncCall(.exchange(next.request), as: run.credential)
      state = .storing(answer, .asking(next, call))
      return .proceed([store, call.send])

    case (.storing(let answer, let ahead), .applied(let applied?)):
      try note(applied, answer.response, &run)
      let report = applied.isOvertaken ? [] : [SyncAction.report(run.report)]
      return try go(on: answer, ahead, at: now, &run, after: report)

    case (.refilling(let answer), .page(let page)):
      guard !page.offers.isEmpty || answer.hasMore else { return .over }
      return .proceed([ask(attempt(at: answer.position, page, now, run), run)])

    case (.checking, .position(let position)):
      // Another sync took a new identity or left the account, so the answer no longer applies.
      guard position.credential == run.credential else {
        return .proceed([startOver(run)])
      }
      try run.renewed()
      state = .reading
      return .proceed([.perform(.renewal)])

    case (.reading, .renewal(let request)):
      let call = SyncCall(.renew(request), as: run.credential)
      state = .renewing(call)
      return .proceed([call.send])

    case (.adopting, .adopted(let isAdopted)):
      if isAdopted { run.report.isRenewed = true }
      return .proceed([startOver(run)])

    case (.holding, _), (.locating, _), (.filling, _), (.asking, _), (.paging, _), (.storing, _),
      (.refilling, _), (.pausing, _), (.checking, _), (.reading, _), (.renewing, _), (.adopting, _):
      preconditionFailure("the owner replies to what it was asked")
    }
  }

  private func failure(_ error: ReplicaError) -> SyncError {
    switch state {
    case .storing, .adopting: SyncError(storing: error)
    case .holding, .locating, .filling, .asking, .paging, .refilling, .pausing, .checking,
      .reading, .renewing:
      .replica(error)
    }
  }

  private mutating func note(
    _ applied: AppliedAnswer, _ response: ExchangeResponse, _ run: inout SyncRun
  ) throws(SyncError) {
    run.report.exchanges += 1
    guard !applied.isOvertaken else {
      mustAskAgain = true
      return
    }
    run.report.pushed += applied.acknowledged
    run.report.refused += applied.refused
    run.report.overQuota += applied.overQuota
    run.report.pulled += response.records.count
    run.report.superseded += response.superseded.count
    run.report.conflicts += applied.conflicts
    run.tooFarAhead += applied.tooFarAhead
    if applied.isForked { isForked = true }
    if applied.isUnread {
      mustAskAgain = true
      // The server judges a part of a request that would write very much.
      if applied.acknowledged + applied.refused > 0 { run.advanced() }
    }
    // The server's count may differ from this replica's. It repeats its refusal of an earlier,
    // unconfirmed request whose answer was lost; under new numbers it judges the deletions again.
    if let held = applied.heldDeletions {
      if run.retriesConfirmedDeletions() {
        mustAskAgain = true
      } else {
        run.report.heldDeletions = held
      }
    }
    if applied.isRestarted { try run.restarted(isLoss: applied.isLoss) }
  }

  /// Continues after an answer was stored.
  private mutating func go(
    on answer: Answer, _ ahead: Ahead, at now: WallTime, _ run: inout SyncRun,
    after actions: [SyncAction]
  ) throws(SyncError) -> Step {
    switch ahead {
    case .asking(let next, let call):
      state = .asking(next, call)
      return .proceed(actions)
    case .answered(let next, let response, let reading):
      return .proceed(actions + [try receive(response, reading, to: next)])
    case .failed(let error):
      throw error
    case .none:
      if isForked {
        state = .checking
        return .proceed(actions + [.perform(.position)])
      }
      if mustAskAgain {
        guard let pause = try run.repeated() else { return .proceed(actions + [startOver(run)]) }
        state = .pausing
        return .proceed(actions + [pause])
      }
      // Writes made in the meantime.
      state = .refilling(answer)
      return .proceed(actions + [.perform(.nextPage(after: last))])
    }
  }

  // MARK: The server

  private func attempt(
    at position: SyncPosition, _ page: OutboxPage, _ now: WallTime, _ run: SyncRun
  ) -> ExchangeAttempt {
    ExchangeAttempt(
      request: ExchangeRequest(
        cursor: position.cursor, lastKnownHead: position.head, offers: page.offers,
        segment: page.segment,
        allowsMassDeletion: run.allowsMassDeletion, deviceTime: now),
      page: page)
  }

  private mutating func ask(_ attempt: ExchangeAttempt, _ run: SyncRun) -> SyncAction {
    let call = SyncCall(.exchange(attempt.request), as: run.credential)
    state = .asking(attempt, call)
    return call.send
  }

  private mutating func answered(
    _ answer: SyncAnswer, _ reading: Reading, at now: WallTime, _ run: inout SyncRun
  ) throws(SyncError) -> Step {
    switch (state, answer) {
    case (.asking(let attempt, _), .exchange(let response)):
      return .proceed([try receive(response, reading, to: attempt)])
    case (.storing(let stored, .asking(let attempt, _)), .exchange(let response)):
      state = .storing(stored, .answered(attempt, response, reading))
      return .proceed([])
    case (.renewing, .renew(let identity)):
      state = .adopting
      return .proceed([.perform(.adopt(identity, insteadOf: run.credential))])
    case (.holding, _), (.locating, _), (.filling, _), (.asking, _), (.paging, _), (.storing, _),
      (.refilling, _), (.pausing, _), (.checking, _), (.reading, _), (.renewing, _), (.adopting, _):
      preconditionFailure("the owner answers what was sent")
    }
  }

  /// Decides what follows an answer: reading the next page, or storing the answer alone.
  private mutating func receive(
    _ response: ExchangeResponse, _ reading: Reading, to attempt: ExchangeAttempt
  ) throws(SyncError) -> SyncAction {
    last = attempt.page.segment?.numbers.last ?? last
    let answer = Answer(
      response: response, reading: reading,
      isRestart: try response.checkedRestart(after: attempt.request))
    // Unjudged offers must be sent again before newer ones, and a refusal may hold back later
    // writes of its record.
    if !isForked, !mustAskAgain, response.hasRead(attempt.page), response.refusals.isEmpty {
      state = .paging(attempt, answer)
      return .perform(.nextPage(after: last))
    }
    state = .storing(answer, .none)
    return .perform(.apply(response, to: attempt, at: reading))
  }

  private mutating func failed(_ error: SyncError, _ run: SyncRun) throws(SyncError) -> Step {
    switch state {
    case .asking(let attempt, var call):
      let pause = try call.failed(error, attempts: run.bounds.attempts)
      state = .asking(attempt, call)
      return .proceed([pause])
    case .renewing(var call):
      let pause = try call.failed(error, attempts: run.bounds.attempts)
      state = .renewing(call)
      return .proceed([pause])
    case .storing(let answer, .asking(let attempt, var call)):
      do {
        let pause = try call.failed(error, attempts: run.bounds.attempts)
        state = .storing(answer, .asking(attempt, call))
        return .proceed([pause])
      } catch {
        // What is being stored is whole.
        state = .storing(answer, .failed(error))
        return .proceed([])
      }
    case .holding, .locating, .filling, .paging, .storing, .refilling, .pausing, .checking,
      .reading, .adopting:
      preconditionFailure("no call is under way")
    }
  }

  private mutating func waited(_ run: SyncRun) -> Step {
    switch state {
    case .asking(_, let call), .storing(_, .asking(_, let call)), .renewing(let call):
      return .proceed([call.send])
    case .pausing:
      return .proceed([startOver(run)])
    case .holding, .locating, .filling, .paging, .storing, .refilling, .checking, .reading,
      .adopting:
      preconditionFailure("no pause is under way")
    }
  }
}

extension ExchangeResponse {
  /// Whether the server lost something.
  /// - Throws: `.badAnswer` for a server that always has more but never advances: it would keep a
  ///   replica busy for ever.
  package func checkedRestart(after request: ExchangeRequest) throws(SyncError) -> Bool {
    if isRestart(after: request) { return true }
    guard !more || cursor.sequence > request.cursor?.sequence ?? 0 else {
      throw .badAnswer("there is more, but the feed does not move")
    }
    return false
  }

  /// Whether the server judged all offers of a page, according to its position. With a page that
  /// offers nothing the position must be the one that the replica was told.
  fileprivate func hasRead(_ page: OutboxPage) -> Bool {
    guard let segment = page.segment else { return true }
    guard let last = segment.numbers.last else { return takenThrough == segment.confirmed }
    guard let takenThrough else { return false }
    return takenThrough.token == segment.token && takenThrough.number >= last
  }
}
