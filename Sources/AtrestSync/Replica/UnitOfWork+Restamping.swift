// SPDX-License-Identifier: Apache-2.0
// Restamps waiting writes: after a change of identity, and after this device's clock was ahead.

import AtrestReplication
import AtrestWire

/// Restamping preserves order within each record, and only there: one record's times do not delay
/// another's. A new stamp stays greater than every stamp that the record had at the time of the
/// write, in any field, and than those of the record's earlier waiting writes: a writer that knew
/// one of those did not know this write. Acknowledged writes never change, and of writes that the
/// server may have, only the identity does.
extension UnitOfWork {
  /// Restamps all waiting writes with another identity, keeps their times and demands a reconcile:
  /// of two writes of one time the other one may win now, and this replica no longer has it.
  package mutating func restamp(as replica: ReplicaID) throws(ReplicaError) {
    try restamp(as: replica, nil)
    demandReconcile(afterLoss: false)
  }

  /// Restamps writes that the server does not have if they lead its clock by more than it accepts.
  /// The new times are those that a correct clock would have given.
  package mutating func restamp(
    aheadOf server: WallTime, as replica: ReplicaID? = nil
  ) throws(ReplicaError) {
    let offset = tables.state.serverOffset.correction
    try restamp(as: replica ?? tables.state.replica) { time in
      guard ClockSkew.isTooFarAhead(time, of: server) else { return time }
      let (moved, overflow) = time.wallTime.milliseconds.addingReportingOverflow(offset)
      let earlier = overflow ? server : WallTime(milliseconds: moved)
      return HybridTime(min(earlier, server))
    }
    // The old stamps are no longer in use, so the clock need not stay ahead of them.
    var latest = HybridTime(rawValue: 0)
    try records.forEachRecord { record throws(ReplicaError) in
      if record.key.kind != .entitlement, let time = record.latestTime {
        latest = max(latest, time)
      }
    }
    tables.state.clock = HybridClock(latest: latest)
  }

  /// Restamps writes that were, or would be, refused for their stamps: no time is later than the
  /// server's clock, where the order of a record allows. Clears the refusals and demands a
  /// reconcile.
  package mutating func restamp(at now: WallTime) throws(ReplicaError) {
    try restamp(aheadOf: tables.state.serverOffset.server(at: now))
    try outbox.clearRefusals(.clockSkew)
    // A write with an earlier stamp may now lose to one that it had beaten here, and which this
    // replica no longer has.
    demandReconcile(afterLoss: false)
  }

  private mutating func restamp(
    as replica: ReplicaID, _ time: ((HybridTime) -> HybridTime)?
  ) throws(ReplicaError) {
    var keys: [RecordKey] = []
    var entries: [RecordKey: [OutboxEntry]] = [:]
    try outbox.forEachEntry { entry throws(ReplicaError) in
      if entries[entry.key] == nil { keys.append(entry.key) }
      entries[entry.key, default: []].append(entry)
    }
    for key in keys {
      var record = RecordRestamp(replica, time)
      if try record.run(entries[key] ?? [], key, in: outbox) { written.insert(key) }
    }
  }
}

/// The restamping of one record's waiting writes.
private struct RecordRestamp {
  /// A register, and the floor above which it was written. A pruned record may hold the deletion
  /// that was written here, as another replica's.
  private struct Written: Hashable {
    let floor: Register?
    let register: Register
  }

  private let replica: ReplicaID
  /// The corrected time of a write; nil if times stay.
  private let time: ((HybridTime) -> HybridTime)?
  private var stamps: [Stamp: Stamp] = [:]
  /// The registers written here. A copied replica shares stamps with its original and may have that
  /// one's writes under them.
  private var own: Set<Written> = []
  private var last = HybridTime(rawValue: 0)

  init(_ replica: ReplicaID, _ time: ((HybridTime) -> HybridTime)?) {
    self.replica = replica
    self.time = time
  }

  /// Restamps the record and its entries.
  /// - Returns: Whether that changed what the record says.
  mutating func run<Tables>(
    _ entries: [OutboxEntry], _ key: RecordKey, in outbox: Outbox<Tables>
  ) throws(ReplicaError) -> Bool {
    for entry in entries { choose(for: entry) }
    guard stamps.contains(where: { $0.key != $0.value }) else { return false }
    for entry in entries {
      guard var offer = entry.offer else { continue }
      offer.record = replaced(in: offer.record)
      try outbox.rewrite(entry.sequence, offer)
    }
    guard let before = try outbox.records.record(key) else { return false }
    var restamped = replaced(in: before)
    // A write that lost here to another replica's write of the same time may win under the new
    // identity.
    for entry in entries {
      guard let offer = entry.offer else { continue }
      var written = Record(key: key)
      for register in offer.record.registers
      where entry.wrote(register) || register.field == Register.pruneFloorField {
        written.set(replaced(register, above: offer.record.floor))
      }
      var both = restamped
      both.merge(written)
      // What is too large together is refused, and stays in the outbox alone.
      if both.isStorable { restamped = both }
    }
    try outbox.records.put(restamped)
    return restamped.message != before.message
  }

  private mutating func choose(for entry: OutboxEntry) {
    guard let offer = entry.offer else { return }
    let written = offer.record.registers.filter(entry.wrote)
    own.formUnion(written.map { Written(floor: offer.record.floor, register: $0) })
    let before = offer.record.registers.compactMap { entry.wrote($0) ? $0.replaced : $0.stamp }
    for stamp in Set(written.map { $0.stamp }).sorted() {
      // A write that is offered again is still the same write.
      if let chosen = stamps[stamp] {
        last = max(last, chosen.time)
        continue
      }
      let new: HybridTime
      // What was sent may have been taken, and keeps its time.
      if let time, entry.number == nil {
        new = moved(to: time(stamp.time), over: before)
      } else {
        new = kept(stamp.time)
      }
      stamps[stamp] = Stamp(time: new, replica: replica)
      last = max(last, new)
    }
  }

  private func moved(to time: HybridTime, over before: [Stamp]) -> HybridTime {
    let latest = before.map { (stamps[$0] ?? $0).time }.max()
    return max(time, latest.map(next) ?? time, next(last))
  }

  /// The same time, whatever the record has by now. Two writes with one time but different
  /// identities of this replica stay distinct.
  private func kept(_ time: HybridTime) -> HybridTime {
    let isGiven = stamps.values.contains(Stamp(time: time, replica: replica))
    return isGiven ? next(max(last, time)) : time
  }

  private func next(_ time: HybridTime) -> HybridTime {
    min(HybridTime(rawValue: time.rawValue + 1), .latest)
  }

  private func replaced(in record: Record) -> Record {
    var copy = record
    for register in record.registers { copy.set(replaced(register, above: record.floor)) }
    return copy
  }

  private func replaced(_ register: Register, above floor: Register?) -> Register {
    guard own.contains(Written(floor: floor, register: register)),
      let stamp = stamps[register.stamp]
    else { return register }
    var copy = register
    copy.stamp = stamp
    copy.replaced = register.replaced.map { stamps[$0] ?? $0 }
    copy.held = Set(register.held.map { stamps[$0] ?? $0 }).sorted()
    return copy
  }
}
