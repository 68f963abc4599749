// SPDX-License-Identifier: Apache-2.0
// Chooses the waiting writes that one request carries.

import AtrestReplication
import AtrestWire

extension Outbox {
  /// Whether a write waits that was neither taken nor refused nor held, nor is behind one that was
  /// refused temporarily.
  package func hasWaiting() throws(ReplicaError) -> Bool {
    var isThere = false
    let taken = tables.state.takenThrough.number
    try tables.forEachNumberedRow(after: taken, limit: 1) { _ throws(ReplicaError) in
      isThere = true
      return false
    }
    if isThere { return true }
    try tables.forEachUnnumberedRow(notBehind: RefusalReason.transient, limit: 1) {
      _ throws(ReplicaError) in
      isThere = true
      return false
    }
    return isThere
  }

  /// The oldest waiting entries above a number that fit a page, numbered. Leaves out taken,
  /// refused and held entries, and later entries of a record whose earlier one was refused
  /// temporarily: a record's writes stay in order.
  ///
  /// A page without entries has a segment while taken entries are not settled: the answer then
  /// tells whether the server still has them.
  package func page(
    after last: UInt64, of records: Int = Page.records
  ) throws(ReplicaError) -> OutboxPage {
    let taken = tables.state.takenThrough
    let last = max(last, taken.number)
    var draft = try draft(after: last, of: records)
    // Nothing is numbered yet, and each pass has fewer entries, so this ends.
    while !draft.superfluous.isEmpty {
      for sequence in draft.superfluous { try remove(sequence) }
      draft = try self.draft(after: last, of: records)
    }
    var page = draft.page
    if page.offers.isEmpty, try !tables.hasNumberedRow() { return page }
    let lastNumber = tables.state.lastNumber
    let numbers = draft.numbers + (0..<draft.unnumbered.count).map { lastNumber + UInt64($0) + 1 }
    for (sequence, offer) in draft.current { try tables.setOffer(offer, at: sequence) }
    if page.offers.isEmpty {
      // Nothing new is sent, so nothing has to be durable.
    } else if draft.unnumbered.isEmpty {
      // A process killed during a commit can leave numbers that other processes see and the disk
      // does not have. After a power failure the server would be at a position that this replica
      // does not know.
      try tables.makeDurable()
    } else {
      try number(draft.unnumbered)
    }
    guard let token = try tables.newestToken()?.token else { throw tables.damaged() }
    page.segment = OutboxSegment(
      confirmed: OutboxPosition(number: last, token: taken.token), token: token,
      settledThrough: taken.number, numbers: numbers)
    return page
  }

  private func draft(
    after last: UInt64, of records: Int
  ) throws(ReplicaError) -> PageDraft {
    var draft = PageDraft()
    try tables.forEachNumberedRow(after: last, limit: records) { row throws(ReplicaError) in
      try add(row, to: &draft)
    }
    let room = records - draft.page.sequences.count
    guard !draft.isFull, room > 0 else { return draft }
    try tables.forEachUnnumberedRow(notBehind: RefusalReason.transient, limit: room) {
      row throws(ReplicaError) in
      try add(row, to: &draft)
    }
    return draft
  }

  /// Adds an entry to a page.
  /// - Returns: Whether others may fit as well.
  private func add(_ row: OutboxRow, to draft: inout PageDraft) throws(ReplicaError) -> Bool {
    guard let offer = try bytes(of: row) else {
      draft.superfluous.append(row.sequence)
      return true
    }
    draft.bytes += offer.count
    if draft.isFull, !draft.page.offers.isEmpty { return false }
    draft.page.sequences.append(row.sequence)
    draft.page.offers.append(offer)
    if row.offer == nil { draft.current.append((row.sequence, offer)) }
    if let number = row.number {
      draft.numbers.append(number)
    } else {
      draft.unnumbered.append(row.sequence)
    }
    return true
  }

  /// The bytes to send. nil if an acknowledged record was to be offered again but by now consists
  /// only of waiting writes.
  private func bytes(of row: OutboxRow) throws(ReplicaError) -> [UInt8]? {
    if let offer = row.offer { return offer }
    guard let record = try records.record(row.key) else { throw tables.damaged() }
    guard var offer = try acknowledgedPart(of: record) else { return nil }
    offer.isRestored = row.isRestoring
    return offer.encoded
  }
}

/// A page before its new entries are numbered.
private struct PageDraft {
  var page = OutboxPage()
  /// The size of the offers, one that no longer fitted included.
  var bytes = 0
  /// The numbers of the entries that have one. They come first.
  var numbers: [UInt64] = []
  /// The entries without one.
  var unnumbered: [Int64] = []
  /// What is sent of entries that had no offer yet.
  var current: [(sequence: Int64, offer: [UInt8])] = []
  /// Entries whose content other waiting writes now carry.
  var superfluous: [Int64] = []

  var isFull: Bool { bytes > Page.recordBytes }
}
