// SPDX-License-Identifier: Apache-2.0
// What a refusal does to the refused write and to later ones of its record.

import AtrestDomain
import AtrestReplication
import AtrestWire

extension Outbox {
  /// Records refusals. The entries lose their numbers: what is offered next may differ from what
  /// was refused.
  func note(_ refusals: [Refusal], on page: OutboxPage) throws(ReplicaError) {
    var refused: [(row: OutboxRow, reason: RefusalReason)] = []
    for refusal in refusals {
      let sequence = page.sequences[refusal.index]
      guard let row = try tables.outboxRow(sequence), let number = row.number,
        number == page.segment?.numbers[refusal.index]
      else { continue }
      try tables.setNumber(nil, at: sequence)
      try tables.setRefusal(
        OutboxRefusal(reason: refusal.reason, message: shown(refusal.message)), at: sequence)
      refused.append((row, refusal.reason))
    }
    // Only now does none of them count as taken.
    for (row, reason) in refused {
      try releaseNumbers(of: row.key, after: row.sequence)
      if RefusalReason.transient.contains(reason) { continue }
      guard reason == .massDeletion, try isWrittenSince(row.sequence, row.key),
        let entry = try entry(row.sequence), let offer = entry.offer, offer.record.isDeleted,
        let deletion = offer.record[Register.deletedField]
      else {
        try skip(row.sequence)
        continue
      }
      // That write is the word for which the deletion would wait.
      let action = try withdrawDeletion(of: entry)
      try detach(
        after: row.sequence, of: row.key, from: [(deletion, action?.stamp ?? deletion.replaced)])
    }
  }

  /// Whether an action on the record waits behind an entry.
  private func isWrittenSince(
    _ sequence: Int64, _ key: RecordKey
  ) throws(ReplicaError) -> Bool {
    try entries(for: key).contains {
      $0.sequence > sequence && $0.offer?.written.contains(Register.deletedField) == true
    }
  }

  /// Later writes of the record lose their numbers, unless the server took them: they are sent
  /// after the refused one, or changed. A server that is still to get them as they were must not
  /// judge them: the refusal may be settled there by then.
  private func releaseNumbers(of key: RecordKey, after refused: Int64) throws(ReplicaError) {
    let later = try tables.outboxRows(of: key).filter { $0.sequence > refused }
    for row in later where row.number != nil && !isTaken(row.number) {
      try tables.setNumber(nil, at: row.sequence)
    }
    if !later.isEmpty { try noteNumbersWithdrawn() }
  }

  /// Detaches later unsent writes of the record from a refused one: they replace what it replaced.
  ///
  /// - Parameter held: Entries that wait with the refused one and are sent after it, if at all.
  func skip(_ refused: Int64, sparing held: [Int64] = []) throws(ReplicaError) {
    guard let entry = try entry(refused), let offer = entry.offer else { return }
    let skipped = offer.record.registers.filter(entry.wrote)
    try detach(
      after: refused, of: entry.key, from: skipped.map { ($0, $0.replaced) }, sparing: held)
  }

  /// Lets unsent writes of a record that replaced one of these registers replace something else.
  ///
  /// - Parameters:
  ///   - sequence: Only entries after this one are changed.
  ///   - skipped: The registers, each with what is to be replaced instead.
  private func detach(
    after sequence: Int64, of key: RecordKey,
    from skipped: [(register: Register, replaced: Stamp?)], sparing held: [Int64] = []
  ) throws(ReplicaError) {
    // Every later entry with one of these registers, written or carried along, gets the corrected
    // one.
    var corrected: [Register: Register] = [:]
    for later in try entries(for: key)
    where later.sequence > sequence && later.number == nil && !held.contains(later.sequence) {
      guard var changed = later.offer else { continue }
      for register in changed.record.registers {
        if later.wrote(register),
          let under = skipped.first(where: {
            $0.register.field == register.field && $0.register.stamp == register.replaced
          })
        {
          var right = register
          right.replaced = under.replaced
          corrected[register] = right
        }
        if let right = corrected[register] { changed.record.set(right) }
      }
      if changed != later.offer { try rewrite(later.sequence, changed) }
    }
    guard !corrected.isEmpty, var record = try records.record(key) else { return }
    for register in record.registers {
      if let right = corrected[register] { record.set(right) }
    }
    try records.put(record)
  }

  /// Whether an entry is a deletion for which a full account has no place and no need: of this
  /// record the server was never known to have anything.
  ///
  /// It keeps its place here and is offered again with each sync, because a copy of this device may
  /// bring the server what it deletes. To a person it is done.
  package func isMoot(_ entry: OutboxEntry) throws(ReplicaError) -> Bool {
    guard entry.refusal?.reason == .quota, entry.offer?.record.isDeleted == true,
      let record = try records.record(entry.key), record.isDeleted
    else { return false }
    return try acknowledgedPart(of: record) == nil
  }

  /// The number of entries that are moot.
  ///
  /// - Complexity: O(refused entries).
  package func mootCount() throws(ReplicaError) -> Int {
    var count = 0
    for row in try tables.refusedRows() where row.reason == .quota {
      if let entry = try entry(row.sequence), try isMoot(entry) { count += 1 }
    }
    return count
  }

  /// The sequence of the newest entry that the server refused; 0 if there is none. Held deletions
  /// are not among them.
  package func lastRefused() throws(ReplicaError) -> Int64 {
    try tables.refusedRows().last { $0.reason != .massDeletion }?.sequence ?? 0
  }

  /// Makes refused entries eligible again, up to the one with a sequence. Held deletions stay.
  package func retryRefused(through sequence: Int64) throws(ReplicaError) {
    for row in try tables.refusedRows()
    where row.sequence <= sequence && row.reason != .massDeletion {
      try tables.setRefusal(nil, at: row.sequence)
    }
  }

  /// Forgets all refusals of one sort.
  func clearRefusals(_ reason: RefusalReason) throws(ReplicaError) {
    for row in try tables.refusedRows() where row.reason == reason {
      try tables.setRefusal(nil, at: row.sequence)
    }
  }
}

/// Server text made safe to show: without control characters, which could steer a terminal, and at
/// most 300 scalars long.
package func shown(_ text: String) -> String {
  let scalars = text.unicodeScalars.filter { !$0.steersDisplay }
  return String(String.UnicodeScalarView(scalars.prefix(300)))
}
