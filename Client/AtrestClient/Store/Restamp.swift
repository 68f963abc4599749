// SPDX-License-Identifier: Apache-2.0
// Gives waiting writes new stamps: under a new identity, and after this device's clock was ahead.

import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// Where times move, order is kept within each record, and only there: no record's clock holds
/// another's writes back. A new stamp stays greater than every stamp that the record had where it
/// was written, of whatever field, and than those of the record's earlier waiting writes: whoever
/// knew one of those did not know this write. What the server has acknowledged never changes, and
/// of what it may have taken only the identity does.
extension ReplicaTransaction {
  /// Stamps all that waits with another identity, at the times at which it was written.
  func restamp(as replica: ReplicaID) throws {
    try restamp(as: replica, nil)
  }

  /// Stamps writes that the server has not got again, if they are further ahead of its clock than
  /// it bears: as if this device's clock had been right.
  func restamp(aheadOf server: WallTime, as replica: ReplicaID? = nil) throws {
    let offset = state.serverOffset.correction
    try restamp(as: replica ?? state.replica) { time, entry in
      guard entry.number == nil || Mutation.sentEntryRestamped.isActive,
        ClockSkew.isTooFarAhead(time, of: server)
      else { return time }
      let (moved, overflow) = time.wallTime.milliseconds.addingReportingOverflow(offset)
      let earlier = overflow ? server : WallTime(milliseconds: moved)
      return HybridTime(min(earlier, server))
    }
    // The old stamps are no longer in use, so the clock need not stay ahead of them.
    var latest = HybridTime(rawValue: 0)
    try forEachRecord { record in
      if record.key.kind != .entitlement, let time = record.latestTime {
        latest = max(latest, time)
      }
    }
    state.clock = HybridClock(latest: latest)
  }

  private func restamp(
    as replica: ReplicaID, _ time: ((HybridTime, OutboxEntry) -> HybridTime)?
  ) throws {
    var keys: [RecordKey] = []
    var entries: [RecordKey: [OutboxEntry]] = [:]
    try forEachEntry { entry in
      if entries[entry.key] == nil { keys.append(entry.key) }
      entries[entry.key, default: []].append(entry)
    }
    for key in keys {
      var record = RecordRestamp(replica, time)
      try record.run(entries[key] ?? [], key, in: self)
    }
  }
}

/// One record's waiting writes on their way to new stamps.
private struct RecordRestamp {
  private let replica: ReplicaID
  /// The time at which something was written after all; nil where times stay.
  private let time: ((HybridTime, OutboxEntry) -> HybridTime)?
  private var stamps: [Stamp: Stamp] = [:]
  /// Only what was written here: a copy shares stamps with what it was copied from, and may hold
  /// writes of that one under them. And the floor of a pruned record is the server's word, though
  /// it carries the stamp of the deletion.
  private var own: Set<Register> = []
  private var last = HybridTime(rawValue: 0)
  private var least = HybridTime(rawValue: 0)

  init(_ replica: ReplicaID, _ time: ((HybridTime, OutboxEntry) -> HybridTime)?) {
    self.replica = replica
    self.time = time
  }

  mutating func run(
    _ entries: [OutboxEntry], _ key: RecordKey, in transaction: ReplicaTransaction
  ) throws {
    let held = try transaction.record(key)
    // What was pruned stays below: these writes were not among it.
    least = held?[Register.pruneFloorField]?.stamp.time ?? least
    for entry in entries { choose(for: entry) }
    guard stamps.contains(where: { $0.key != $0.value }) else { return }
    for entry in entries {
      guard var offer = entry.offer else { continue }
      offer.record = replaced(in: offer.record)
      try transaction.rewrite(entry.sequence, offer)
    }
    guard var held else { return }
    held = replaced(in: held)
    // What lost here to another replica's write of the same time may win as another replica's.
    for entry in entries {
      guard let offer = entry.offer else { continue }
      var written = Record(key: key)
      for register in offer.record.registers where entry.wrote(register) {
        written.set(replaced(register))
      }
      held.merge(written)
    }
    try transaction.put(held)
  }

  private mutating func choose(for entry: OutboxEntry) {
    guard let offer = entry.offer else { return }
    let written = offer.record.registers.filter(entry.wrote)
    own.formUnion(written)
    let before = offer.record.registers.compactMap { entry.wrote($0) ? $0.replaced : $0.stamp }
    for stamp in Set(written.map(\.stamp)).sorted() {
      // A write that is offered again is still one write.
      if let chosen = stamps[stamp] {
        last = max(last, chosen.time)
        continue
      }
      let new: HybridTime
      if let time {
        new = moved(time(stamp.time, entry), over: before)
      } else {
        new = kept(stamp.time)
      }
      stamps[stamp] = Stamp(time: new, replica: replica)
      last = max(last, new)
    }
  }

  private func moved(_ time: HybridTime, over before: [Stamp]) -> HybridTime {
    if Mutation.restampedBelowFloor.isActive { return time }
    let floor = before.map { (stamps[$0] ?? $0).time }.reduce(least, max)
    return max(time, next(floor), next(last))
  }

  /// The same time, whatever the record holds by now. But two writes of one time, of two identities
  /// that this replica had, stay two.
  private func kept(_ time: HybridTime) -> HybridTime {
    let isGiven = stamps.values.contains(Stamp(time: time, replica: replica))
    return isGiven || Mutation.renewalMovesTimes.isActive ? next(max(last, time)) : time
  }

  private func next(_ time: HybridTime) -> HybridTime {
    min(HybridTime(rawValue: time.rawValue + 1), .latest)
  }

  private func replaced(in record: Record) -> Record {
    var copy = record
    for register in record.registers { copy.set(replaced(register)) }
    return copy
  }

  private func replaced(_ register: Register) -> Register {
    guard own.contains(register), let stamp = stamps[register.stamp] else { return register }
    return Register(
      field: register.field, stamp: stamp, replaced: register.replaced.map { stamps[$0] ?? $0 },
      value: register.value)
  }
}
