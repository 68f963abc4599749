// SPDX-License-Identifier: Apache-2.0
// Gives unacknowledged writes new stamps: under a new identity, and after this device's clock was ahead.

import Foundation
import Replication

extension ReplicaTransaction {
  /// Stamps every unacknowledged write that `selects` chooses again, in the same order.
  ///
  /// Times are moved by what this device's clock is off, unless they may have been sent, and none is later than the server's clock where the order allows. A new stamp
  /// stays greater than that of the value its write replaced, and of any write of this replica that the server may have taken without
  /// this replica's knowing: one that was not too far ahead. Acknowledged stamps never change.
  /// - Parameters:
  ///   - replica: Whose stamps they become.
  ///   - server: The server's clock now.
  ///   - mayHaveBeenTaken: Whether the selected writes may have been sent, and taken, under the old identity.
  ///   - selects: Must hold for every stamp after one it holds for, so that the order is kept.
  func restamp(
    as replica: ReplicaID, server: WallTime, mayHaveBeenTaken: Bool = false,
    where selects: (Stamp) -> Bool
  ) throws {
    let limit = Self.acceptedThrough(server)
    var floors: [Stamp: HybridTime] = [:]
    var kept = HybridTime(rawValue: 0)
    // Only what was written here: a copy shares stamps with what it was copied from, and may hold writes of that one under them. And
    // what was forgotten is the server's word, though it carries the stamp of the deletion.
    var written: [RecordKey: Set<Register>] = [:]
    try forEachEntry { entry in
      guard let offer = entry.offer else { return }
      written[entry.key, default: []].formUnion(offer.record.registers.filter(entry.wrote))
      for register in offer.record.registers where entry.wrote(register) {
        guard selects(register.stamp) else {
          kept = max(kept, register.stamp.time)
          continue
        }
        let time = register.stamp.time
        // What this write took the place of; a field that was not written again is part of that itself.
        let earlier = known(entry.replaced, limit)
        let floor = max(
          register.replaced.map(\.time) ?? HybridTime(rawValue: 0),
          earlier < time ? earlier : .init(rawValue: 0),
          mayHaveBeenTaken ? known(time...time, limit) : .init(rawValue: 0))
        floors[register.stamp] = max(floors[register.stamp] ?? floor, floor)
      }
    }
    // A write that may have been sent was compared with others under its time, and lost to some. Moved past those, it would be covered by
    // this replica's next write, which followed on them, and nobody would note that it lost.
    let stamps = newStamps(
      floors, movedBy: mayHaveBeenTaken ? 0 : state.serverOffset.correction, after: kept,
      as: replica,
      server: server)
    try forEachEntry { entry in
      // New sequences even where no stamp changed: the order of the entries is part of what is kept, and an
      // acknowledgement on its way must not take away what it was not given for.
      try dequeue(entry.sequence)
      guard let offer = entry.offer else { return try appendHeld(entry.key) }
      let own = written[entry.key] ?? []
      try append(
        Offer(record: replacing(stamps, of: own, in: offer.record), written: offer.written),
        replaced: entry.replaced)
    }
    for (key, own) in written {
      if let record = try record(key) { try put(replacing(stamps, of: own, in: record)) }
    }
    // The old stamps are no longer in use, so the clock need not stay ahead of them.
    var latest = stamps.values.map(\.time).max() ?? HybridTime(rawValue: 0)
    try forEachRecord { record in
      if record.key.kind != .entitlement, let time = record.latestTime {
        latest = max(latest, time)
      }
    }
    state.clock = HybridClock(latest: latest)
  }

  /// The latest time that a server whose clock shows this, or showed less, may have taken in. See REASON_CLOCK_SKEW.
  static func acceptedThrough(_ server: WallTime) -> HybridTime {
    let (limit, overflow) = server.milliseconds.addingReportingOverflow(60_000)
    return overflow
      ? .latest : HybridTime(rawValue: HybridTime(WallTime(milliseconds: limit)).rawValue | 0xFFFF)
  }

  /// The latest of some times that a server may have taken in. Where only their ends are known, rather too late than too early; but not so
  /// late that what follows would be refused.
  private func known(_ times: ClosedRange<HybridTime>?, _ limit: HybridTime) -> HybridTime {
    guard let times, times.lowerBound <= limit else { return HybridTime(rawValue: 0) }
    return min(
      times.upperBound, HybridTime(rawValue: limit.rawValue - min(limit.rawValue, 1 << 16)))
  }

  private func newStamps(
    _ floors: [Stamp: HybridTime], movedBy offset: Int64, after kept: HybridTime,
    as replica: ReplicaID, server: WallTime
  ) -> [Stamp: Stamp] {
    var last = kept
    var stamps: [Stamp: Stamp] = [:]
    for (stamp, floor) in floors.sorted(by: { $0.key < $1.key }) {
      let (moved, overflow) = stamp.time.wallTime.milliseconds.addingReportingOverflow(offset)
      var time = stamp.time
      if offset != 0, !overflow {
        time = HybridTime(
          rawValue: HybridTime(WallTime(milliseconds: moved)).rawValue
            | (stamp.time.rawValue & 0xFFFF))
      }
      time = max(min(time, HybridTime(server)), next(floor), next(last))
      stamps[stamp] = Stamp(time: time, replica: replica)
      last = time
    }
    return stamps
  }

  private func next(_ time: HybridTime) -> HybridTime {
    min(HybridTime(rawValue: time.rawValue + 1), .latest)
  }

  private func replacing(
    _ stamps: [Stamp: Stamp], of own: Set<Register>, in record: Record
  ) -> Record {
    var copy = record
    for register in record.registers where own.contains(register) {
      guard let stamp = stamps[register.stamp] else { continue }
      copy.set(
        Register(
          field: register.field, stamp: stamp, replaced: register.replaced, value: register.value))
    }
    return copy
  }
}
