// SPDX-License-Identifier: Apache-2.0
// Answers a transaction's queries from the tables.

import AtrestReplication
import AtrestServer
import AtrestWire

/// Numbers that are never given twice, even after a rollback: PostgreSQL's sequences.
struct SharedNumbers {
  private(set) var account: Int64 = 0
  private(set) var event: UInt64 = 0

  mutating func nextAccount() -> AccountID {
    account += 1
    return AccountID(rawValue: account)
  }

  mutating func nextEvent() -> UInt64 {
    event += 1
    return event
  }
}

extension SharedTables {
  /// The statements of a trip run one after the other, and each sees what is committed by then.
  enum ReadGroup: CaseIterable { case accounts, records, others }

  /// Answers queries. Of those that are bounded, one at least.
  ///
  /// - Parameters:
  ///   - rows: The bound of a chunk, and of keys that one statement looks up.
  ///   - now: The database's clock.
  func answer(
    _ queries: StoreQueries, _ group: ReadGroup, upTo rows: Int, at now: WallTime,
    _ numbers: inout SharedNumbers, into reads: inout StagedReads
  ) {
    switch group {
    case .accounts: answerAccounts(queries, at: now, &numbers, into: &reads)
    case .records: answerRecords(queries, upTo: rows, into: &reads)
    case .others:
      answerDevices(queries, into: &reads)
      answerOthers(queries, into: &reads)
      answerEvents(queries, upTo: rows, &numbers, into: &reads)
    }
  }

  private func answerAccounts(
    _ queries: StoreQueries, at now: WallTime, _ numbers: inout SharedNumbers,
    into reads: inout StagedReads
  ) {
    // No account moves to another cell: there is one.
    for id in queries.departures { reads.departures[id] = false }
    for id in queries.feedStates {
      var state = accounts[id]?.state ?? .empty
      state.clock = now
      reads.feedStates[id] = state
      reads.presences[id] = presence(of: id)
    }
    for place in queries.positions {
      reads.positions.updateValue(
        position(of: place.sequence, account: place.account), forKey: place)
    }
    for id in queries.accounts {
      reads.accounts.updateValue(entry(of: id), forKey: id)
      reads.presences[id] = presence(of: id)
    }
    for name in queries.accountNames {
      let id = accounts.first { $0.value.name == name && $0.key != Self.server }?.key
      reads.accountNames.updateValue(id, forKey: name)
    }
    for name in queries.accountNumbers.sorted() {
      reads.accountNumbers[name] = numbers.nextAccount()
    }
    if queries.everyAccount {
      reads.everyAccount = accounts.keys.compactMap { entry(of: $0) }.sorted { $0.name < $1.name }
    }
  }

  func presence(of account: AccountID) -> AccountPresence {
    accounts[account] == nil ? .absent : .here
  }

  private func answerRecords(
    _ queries: StoreQueries, upTo rows: Int, into reads: inout StagedReads
  ) {
    let asked = queries.records.sorted {
      $0.account == $1.account
        ? $0.key.lexicographicallyPrecedes($1.key)
        : $0.account.rawValue < $1.account.rawValue
    }
    for address in asked.prefix(rows) {
      let record = records[address.account]?[address.key]
      reads.records.updateValue(record, forKey: address)
      reads.recordBytes += record?.bytes ?? 0
    }
    for place in queries.feedChunks {
      let found = feed(of: place.account, after: place.sequence)
      reads.feedChunks[place] = StagedReads.Chunk(
        rows: found.prefix(rows).map {
          StagedReads.FeedRow(sequence: $0.sequence, key: $0.key, body: $0.body)
        }, isLast: found.count <= rows)
    }
    for place in queries.keyChunks {
      let found = feed(of: place.account, after: place.sequence)
      reads.keyChunks[place] = StagedReads.Chunk(
        rows: found.prefix(rows).map { StagedReads.KeyRow(sequence: $0.sequence, key: $0.key) },
        isLast: found.count <= rows)
    }
    for range in queries.rangeChunks {
      let (begin, end) = (range.interval.begin, range.interval.end)
      let found = (records[range.account] ?? [:]).filter { key, _ in
        !key.lexicographicallyPrecedes(begin) && (end.isEmpty || key.lexicographicallyPrecedes(end))
      }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      reads.rangeChunks[range] = StagedReads.Chunk(
        rows: found.prefix(rows).map { StagedReads.RangeRow(key: $0.key, body: $0.value.body) },
        isLast: found.count <= rows)
    }
    for query in queries.due { reads.due[query] = due(query) }
  }

  private func due(_ query: DueQuery) -> [StagedReads.DueRow] {
    let found = (records[query.account] ?? [:]).filter { _, record in
      record.due.map { $0 <= query.now } ?? false
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    return found.prefix(max(0, query.limit)).map {
      StagedReads.DueRow(key: $0.key, record: $0.value)
    }
  }

  private func answerDevices(_ queries: StoreQueries, into reads: inout StagedReads) {
    for replica in queries.devices {
      reads.devices.updateValue(devices[replica]?.entry, forKey: replica)
    }
    for replica in queries.destinations { reads.destinations.updateValue(nil, forKey: replica) }
    for account in queries.deviceLists { reads.deviceLists[account] = devices(of: account) }
    if queries.everyDevice {
      reads.everyDevice = accounts.sorted { $0.value.name < $1.value.name }
        .flatMap { devices(of: $0.key) }
    }
    for address in queries.outboxes {
      let row = devices[address.replica].flatMap { $0.entry.account == address.account ? $0 : nil }
      reads.outboxes[address] = row?.outbox ?? .empty
    }
  }

  private func answerOthers(_ queries: StoreQueries, into reads: inout StagedReads) {
    for handle in queries.invitations {
      reads.invitations.updateValue(invitations[handle], forKey: handle)
    }
    for account in queries.invitationLists {
      reads.invitationLists[account] = invitations.values.filter { $0.account == account }
        .sorted { $0.handle < $1.handle }
    }
    for purchase in queries.holders {
      reads.holders.updateValue(holders[purchase], forKey: purchase)
    }
    for key in queries.attempts {
      // Nobody in a story waits until a bucket is fuller.
      reads.attempts[key] = (attempts[key] ?? AttemptLimiter.bucket(of: key), .epoch)
    }
    for account in queries.appAccountTokens {
      reads.appAccountTokens.updateValue(accounts[account]?.token, forKey: account)
    }
    for token in queries.appAccounts {
      reads.appAccounts.updateValue(
        accounts.first { $0.value.token == token }?.key, forKey: token)
    }
  }

  private func answerEvents(
    _ queries: StoreQueries, upTo rows: Int, _ numbers: inout SharedNumbers,
    into reads: inout StagedReads
  ) {
    func isOf(_ entry: EventEntry, _ account: AccountID) -> Bool {
      (entry.event.account ?? Self.server) == account
    }
    for account in queries.lastEvents {
      reads.lastEvents.updateValue(events.last { isOf($0, account) }, forKey: account)
    }
    if queries.settledEvent { reads.settledEvent = events.last?.number ?? 0 }
    for _ in 0..<queries.eventNumbers { reads.eventNumbers.append(numbers.nextEvent()) }
    for page in queries.eventPages {
      let found = events.reversed().filter { entry in
        entry.number < page.before ?? .max && page.account.map { isOf(entry, $0) } ?? true
      }
      reads.eventPages[page] = Array(found.prefix(max(0, page.limit)))
    }
    for start in queries.eventChunks {
      let found = events.filter { $0.number > start }
      reads.eventChunks[start] = StagedReads.Chunk(
        rows: Array(found.prefix(rows)), isLast: found.count <= rows)
    }
  }
}
