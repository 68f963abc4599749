// SPDX-License-Identifier: Apache-2.0
// The Admin service's calls on the audit log.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

extension AdminService {
  /// Returns a page of the audit log of one account or of the whole server, newest event first.
  package func events(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let request = try decoded(AdminEventsRequest.self, bytes)
    let limit = Int(request.pageSize)
    let last = try EventPage.lastNumber(before: request.pageToken)
    try queue.perform(by: .server, use: .reads, answer: answer()) {
      batch throws(StoreError) -> (events: [EventEntry], names: [AccountID: String])? in
      var account: AccountID?
      if !request.account.isEmpty {
        account = try batch.transaction.accounts.id(named: request.account)
        guard account != nil else { return nil }
      }
      let events = try batch.transaction.events.page(
        of: account, before: last, limit: limit + 1)
      return (events, try batch.accountNames(Set(events.compactMap(\.event.account))))
    } reply: { found in
      guard let (events, names) = found else { return .fail(.noAccount) }
      let entries = events.prefix(limit).map { entry in
        AdminEventsResponse.Entry(
          account: UInt64(clamping: entry.event.account?.rawValue ?? 0),
          accountName: entry.event.account.flatMap { names[$0] } ?? "", event: entry.shown)
      }
      return .reply(
        AdminEventsResponse(
          entries: entries,
          nextPageToken: EventPage.token(after: entries.map(\.event), of: events.count)
        ).packed)
    }
    return .later
  }

  /// Verifies the hash chain of all events in slices, between which other jobs run.
  package func checkEvents(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let request = try decoded(CheckEventsRequest.self, bytes)
    checkEvents(EventCheck(first: request.through == 0 ? .max : request.through), answer: answer())
    return .later
  }

  /// Verifies one slice, then queues the next one.
  private func checkEvents(_ check: EventCheck, answer: Answer) {
    let job = Operation(by: .server, use: .reads, for: answer) {
      batch throws(StoreError) -> EventCheck in
      var check = check
      try check.goOn(batch.transaction.events)
      return check
    } completion: { [self] result, answers in
      switch result {
      case .success(let check):
        guard let response = check.response else { return checkEvents(check, answer: answer) }
        answer(.reply(response.packed), &answers)
      case .failure(let error): answer(.fail(Status(error)), &answers)
      }
    }
    guard !queue.submit(job) else { return }
    var answers = ResponseBatch()
    answer(.fail(.busy), &answers)
    answers.deliver()
  }
}

extension Batch {
  /// The names of those accounts that are still there. One load for all of them.
  fileprivate func accountNames(
    _ accounts: Set<AccountID>
  ) throws(StoreError) -> [AccountID: String] {
    var names: [AccountID: String] = [:]
    var missing: StoreError?
    for account in accounts {
      do throws(StoreError) {
        names[account] = try transaction.accounts.find(account)?.name
      } catch {
        // The others are noted as missing, too.
        guard case .notLoaded = error else { throw error }
        missing = error
      }
    }
    if let missing { throw missing }
    return names
  }
}

/// A verification of the audit log in progress.
private struct EventCheck: Sendable {
  /// Events verified in one turn of the storage queue: a few milliseconds.
  private static let slice: UInt64 = 2000

  /// How many events are verified, from the first one on.
  private let limit: UInt64
  /// The last event that may be among them: an event above it may be followed by a lower one.
  private var last = UInt64.max
  private var chains: EventChains?
  /// Nil: there is more to verify.
  private(set) var response: CheckEventsResponse?

  init(first limit: UInt64) {
    self.limit = limit
  }

  /// Verifies the next slice.
  mutating func goOn(_ events: any EventLog) throws(StoreError) {
    guard var chains else {
      chains = EventChains(events.scope)
      if let settled = try events.settledNumber() {
        // The events up to there are seen by the next transaction.
        last = settled
      } else {
        try goOn(events)
      }
      return
    }
    var (broken, isDone) = (UInt64(0), true)
    let end = chains.count + Self.slice
    let (limit, last) = (limit, last)
    try events.scan(after: chains.number) { entry in
      guard entry.number <= last, chains.count < limit else { return false }
      // A missing number is reported as broken. A misplaced event is reported by its own number.
      guard chains.follows(entry) else {
        broken = entry.number
        return false
      }
      isDone = chains.count < end || chains.count == limit
      return isDone && chains.count < limit
    }
    self.chains = chains
    guard isDone || broken > 0 else { return }
    response = CheckEventsResponse(events: chains.count, broken: broken, hash: chains.hash)
  }
}
