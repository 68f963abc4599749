// SPDX-License-Identifier: Apache-2.0
// Merges what the server sends into the view.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Merges received records.
  ///
  /// - Throws: `.invalid` if a record breaks the rules, or would make a stored one too large.
  package mutating func merge(
    _ records: [[UInt8]], into applied: inout AppliedAnswer
  ) throws(ReplicaError) {
    for bytes in records {
      let received: Record
      do {
        received = try Record(decoding: bytes)
      } catch {
        throw .invalid("an answer holds a record against the rules")
      }
      // A signed fact carries its own date, which no clock gave.
      if received.key.kind != .entitlement, let time = received.latestTime {
        tables.state.clock.observe(time)
      }
      let encoded = received.encoded
      guard received.isStorable(inBytes: encoded.count) else { throw Self.outgrown }
      if try self.records.insert(received, encoded: encoded) {
        self.received.insert(received.key)
        if received.key.kind == .conflict, !received.isDeleted { applied.conflicts += 1 }
      } else if let stored = try tables.recordBody(received.key), stored != bytes,
        try merge(received, into: self.records.decode(stored, of: received.key), stored)
      {
        self.received.insert(received.key)
      } else {
        applied.unchanged += 1
      }
    }
  }

  /// Merges a received record into the stored one.
  ///
  /// - Parameter stored: The bytes of `before`.
  /// - Returns: Whether that changed it.
  private func merge(
    _ received: Record, into before: Record, _ stored: [UInt8]
  ) throws(ReplicaError) -> Bool {
    var merged = before
    var givesWay = false
    merged.merge(received) { lost, kept in
      guard before[lost.field] == lost else { return }
      // What a floor outlives is nothing to give back if the deletion's writer knew it.
      let isOutlived = kept.field == Register.pruneFloorField
      let isKnown = kept.knew(lost.stamp) || kept.stamp == lost.stamp
      if !isOutlived || !isKnown { givesWay = true }
    }
    var encoded = merged.encoded
    if !merged.isStorable(inBytes: encoded.count) {
      // Only what waits here makes it too large. The server refuses that, and says so: until it is
      // settled, this replica shows what the server has.
      merged = try withoutWaitingWrites(before)
      merged.merge(received)
      encoded = merged.encoded
      guard merged.isStorable(inBytes: encoded.count) else { throw Self.outgrown }
    }
    let isChanged = encoded != stored
    var isLost = tables.state.isAfterLoss
    if !isLost { isLost = try outbox.isToBeRestored(received.key) }
    if isLost, givesWay { try outbox.offerBeforeItGoes(before) }
    if isChanged { try records.put(merged, encoded: encoded) }
    return isChanged
  }

  private static var outgrown: ReplicaError { .invalid("an answer makes a record too large") }

  /// The part of a record that the server has.
  private func withoutWaitingWrites(_ record: Record) throws(ReplicaError) -> Record {
    let waiting = try outbox.untaken(for: record.key)
    var known = Record(key: record.key)
    for register in record.registers where !waiting.contains(where: { $0.wrote(register) }) {
      known.set(register)
    }
    return known
  }
}
