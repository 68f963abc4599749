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
    let request = try decoded(AccountEventsRequest.self, bytes)
    let limit = Int(request.limit)
    try queue.perform(by: .server, use: .reads, answer: answer()) {
      batch throws(StoreError) -> (events: [EventEntry], names: [AccountID: String])? in
      var account: AccountID?
      if !request.account.isEmpty {
        account = try batch.transaction.accounts.id(named: request.account)
        guard account != nil else { return nil }
      }
      let events = try batch.transaction.events.page(
        of: account, before: request.before == 0 ? nil : request.before, limit: limit + 1)
      return (events, try batch.accountNames(Set(events.compactMap(\.event.account))))
    } reply: { found in
      guard let (events, names) = found else { return .fail(.noAccount) }
      let entries = events.prefix(limit).map { entry in
        AccountEventsResponse.Entry(
          account: UInt64(clamping: entry.event.account?.rawValue ?? 0),
          accountName: entry.event.account.flatMap { names[$0] } ?? "", event: entry.shown)
      }
      return .reply(AccountEventsResponse(entries: entries, more: events.count > limit).packed)
    }
    return .later
  }

  /// Verifies the hash chain of all events in slices, between which other jobs run.
  package func checkEvents(_ bytes: [UInt8], answer: () -> Answer) throws(Status) -> UnaryOutcome {
    let request = try decoded(CheckEventsRequest.self, bytes)
    checkEvents(
      EventCheck(through: request.through == 0 ? .max : request.through), answer: answer())
    return .later
  }

  /// Verifies one slice, then queues the next one.
  private func checkEvents(_ check: EventCheck, answer: Answer) {
    let job = Operation(by: .server, use: .reads, for: answer) {
      batch throws(StoreError) -> CheckEventsResponse? in
      try check.step(batch.transaction)
    } completion: { [self] result, answers in
      switch result {
      case .success(let response?): answer(.reply(response.packed), &answers)
      case .success(nil): checkEvents(check, answer: answer)
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
private final class EventCheck: Sendable {
  /// Events verified in one turn of the storage queue: a few milliseconds.
  private static let slice: UInt64 = 2000
  private let last: UInt64
  private let chains = Mutex<EventChains?>(nil)

  init(through last: UInt64) {
    self.last = last
  }

  /// Verifies the next slice. Nil if there is more.
  func step(_ transaction: any StoreTransaction) throws(StoreError) -> CheckEventsResponse? {
    var chains = chains.withLock { $0 } ?? EventChains(transaction.events.scope)
    var (broken, isDone) = (UInt64(0), true)
    let end = chains.count + Self.slice
    try transaction.events.scan(after: chains.number) { entry in
      guard entry.number <= last else { return false }
      // A missing number is reported as broken. A misplaced event is reported by its own number.
      guard chains.follows(entry) else {
        broken = entry.number
        return false
      }
      isDone = chains.count < end || chains.number == last
      return isDone && chains.number < last
    }
    self.chains.withLock { $0 = chains }
    guard isDone || broken > 0 else { return nil }
    return CheckEventsResponse(events: chains.count, broken: broken, hash: chains.hash)
  }
}
