// SPDX-License-Identifier: Apache-2.0
// The audit log in a staged transaction: a chain for each account, and one for the server.

import AtrestReplication

final class StagedEvents: EventLog {
  let scope = EventScope.account
  private let staging: Staging
  private var drawn = 0

  init(_ staging: Staging) {
    self.staging = staging
  }

  func append(_ events: [NewEvent]) throws(StoreError) {
    try expectAll(for: events)
    for event in events {
      let account = event.account ?? .server
      try staging.expectWrite(to: account)
      var chain = try chain(of: account)
      guard drawn < staging.reads.eventNumbers.count else {
        throw staging.miss { $0.eventNumbers += events.count }
      }
      let number = staging.reads.eventNumbers[drawn]
      drawn += 1
      staging.changes.events[account, default: []].append(chain.append(event, number: number))
    }
  }

  /// So that many accounts cost one trip for their locks and one for their chains.
  private func expectAll(for events: [NewEvent]) throws(StoreError) {
    var lacksSome = false
    func expect(_ read: () throws(StoreError) -> Void) throws(StoreError) {
      do throws(StoreError) { try read() } catch {
        guard error == .notLoaded else { throw error }
        lacksSome = true
      }
    }
    for account in Set(events.map { $0.account ?? .server }) {
      try expect { () throws(StoreError) in try staging.expectWrite(to: account) }
      try expect { () throws(StoreError) in _ = try chain(of: account) }
    }
    if drawn + events.count > staging.reads.eventNumbers.count {
      _ = staging.miss { $0.eventNumbers += events.count }
      lacksSome = true
    }
    if lacksSome { throw .notLoaded }
  }

  private func chain(of account: AccountID) throws(StoreError) -> EventChain {
    if let last = staging.changes.events[account]?.last {
      return EventChain(after: last.number, hash: last.hash)
    }
    if staging.changes.addedAccounts[account] != nil { return EventChain() }
    let last = try staging.value(staging.reads.lastEvents[account]) {
      $0.lastEvents.insert(account)
    }
    return last.map { EventChain(after: $0.number, hash: $0.hash) } ?? EventChain()
  }

  func page(
    of account: AccountID?, before number: UInt64?, limit: Int
  ) throws(StoreError) -> [EventEntry] {
    let page = EventPage(account: account, before: number, limit: limit)
    let known = try staging.value(staging.reads.eventPages[page]) { $0.eventPages.insert(page) }
    let new = staging.changes.events.filter { account == nil || $0.key == account }.values
      .joined().filter { $0.number < number ?? .max }
    return Array((known + new).sorted { $0.number > $1.number }.prefix(limit))
  }

  func settledNumber() throws(StoreError) -> UInt64? {
    try staging.value(staging.reads.settledEvent) { $0.settledEvent = true }
  }

  func scan(after number: UInt64, _ visit: (EventEntry) -> Bool) throws(StoreError) {
    var start = number
    while true {
      let chunk = try staging.value(staging.reads.eventChunks[start]) {
        $0.eventChunks.insert(start)
      }
      for entry in chunk.rows {
        guard visit(entry) else { return }
      }
      guard !chunk.isLast, let last = chunk.rows.last else { break }
      start = last.number
    }
    let new = staging.changes.events.values.joined().filter { $0.number > number }
    for entry in new.sorted(by: { $0.number < $1.number }) {
      guard visit(entry) else { return }
    }
  }
}
