// SPDX-License-Identifier: Apache-2.0
// The state of a small world that can influence later events, so that equal states are searched
// once.

import AtrestClient
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

extension SmallWorld {
  /// The world's state as text. Equal states have equal texts.
  ///
  /// Omits what nothing depends on: audit events, device names, times of last calls, and transient
  /// state of running operations.
  func state() throws -> String {
    var text = CanonicalText()
    let now = world.serverClock.now()
    text.line("server")
    text.time(HybridTime(now))
    try write(server: world.serverDisk, to: &text, now)
    text.flag(world.serverMayHaveForgotten)
    if let backup = world.serverBackup {
      text.line("server's copy")
      try write(server: backup, to: &text, now)
    }
    for device in world.devices {
      text.line("device \(device.index)")
      try write(device, to: &text, now)
      if let backup = device.backup {
        text.line("device's copy")
        try write(replica: backup, to: &text, now)
      }
    }
    write(world.accounts[0], to: &text, now)
    return text.text
  }

  private static let replicaQueries = [
    """
    SELECT id, clock, server_offset, cursor_commit, cursor_sequence, head_commit, head_sequence,
      must_reconcile, taken_number, taken_token, last_number, renewal, joining,
      server_clock_doubtful, token
    FROM replica
    """,
    "SELECT body FROM record ORDER BY kind, id",
    "SELECT offer, kind, id, refused_reason, number, restored FROM outbox ORDER BY sequence",
    "SELECT through, token FROM outbox_token ORDER BY through",
  ]

  private static let serverQueries = [
    "SELECT clock_ms, head, live, records, latest_time FROM meta, account ORDER BY account.id",
    """
    SELECT replica, revoked_ms IS NULL, outbox_number, outbox_token, outbox_refusals,
      acknowledged_sequence, told_sequence
    FROM device
    """,
    "SELECT sequence, body, due_ms, history FROM record ORDER BY sequence",
    "SELECT sequence, name FROM feed_commit ORDER BY sequence",
  ]

  // MARK: Devices

  private func write(_ device: Device, to text: inout CanonicalText, _ now: WallTime) throws {
    text.time(HybridTime(device.clock.now()))
    text.flag(device.wasCopied)
    text.number(device.checked)
    text.stamp(device.lastStamp)
    for refused in device.refused.sorted(by: { $0.number < $1.number }) {
      text.number(refused.number)
      text.offer(try Offer(decoding: refused.bytes), at: now)
    }
    try write(replica: device.disk, to: &text, now, clock: device.clock.now())
  }

  /// - Parameter clock: The device's clock. Nil for a disk on which nothing runs.
  private func write(
    replica disk: SimulatedDisk, to text: inout CanonicalText, _ now: WallTime,
    clock: WallTime? = nil
  ) throws {
    let rows = try tables.tables("replica.sqlite", on: disk, Self.replicaQueries).rows
    for row in rows[0] {
      text.replica(ReplicaID(rawValue: row[0].bits ?? 0))
      text.time(HybridTime(rawValue: row[1].bits ?? 0))
      write(offset: Int64(bitPattern: row[2].bits ?? 0), to: &text, clock)
      text.name(row[3].bits)
      text.number(row[4].bits)
      text.name(row[5].bits)
      text.number(row[6].bits)
      // The name of a demand is dropped with it. Its lowest bit is its sort.
      text.word(row[7].bits.map { $0 == 0 ? "-" : "demand \($0 & 1)" } ?? "-")
      text.number(row[8].bits)
      text.name(row[9].bits)
      text.number(row[10].bits)
      // The server can tell the result of these requests, and the text could not.
      if row[11] != .none || row[12] != .none { text.word("joining after \(path)") }
      text.number(row[13].bits)
      // A token contains its identity, and there is one token per identity.
      guard case .text(let token) = row[14] else { continue }
      text.replica(ReplicaID(rawValue: UInt64(token.prefix(16), radix: 16) ?? 0))
    }
    for row in rows[1] {
      text.line("record")
      text.record(try Record(decoding: row[0].blob), at: now)
    }
    for row in rows[2] {
      text.line("waits")
      if row[0] == .none {
        text.key(
          RecordKey(
            kind: RecordKind(rawValue: UInt32(clamping: row[1].bits ?? 0)), id: row[2].blob))
      } else {
        text.offer(try Offer(decoding: row[0].blob), at: now)
      }
      for cell in row[3...] { text.number(cell.bits) }
    }
    for row in rows[3] {
      text.number(row[0].bits)
      text.name(row[1].bits)
    }
  }

  /// The device's estimate of the server's time.
  private func write(offset: Int64, to text: inout CanonicalText, _ clock: WallTime?) {
    let hours = (Double(offset) / 3_600_000).rounded()
    text.word("\(hours)h")
    if hours != 0, let clock { text.time(HybridTime(clock.advanced(by: offset))) }
  }

  // MARK: Server

  private func write(
    server disk: SimulatedDisk, to text: inout CanonicalText, _ now: WallTime
  ) throws {
    let rows = try tables.tables("atrest.db", on: disk, Self.serverQueries).rows
    for row in rows[0] {
      text.hours(from: now, to: WallTime(milliseconds: Int64(bitPattern: row[0].bits ?? 0)))
      for cell in row[1...3] { text.number(cell.bits) }
      text.time(HybridTime(rawValue: row[4].bits ?? 0))
    }
    for row in rows[1].sorted(by: { ($0[0].bits ?? 0) < ($1[0].bits ?? 0) }) {
      let replica = ReplicaID(rawValue: row[0].bits ?? 0)
      text.line("knows")
      text.replica(replica)
      text.number(row[1].bits)
      text.number(row[2].bits)
      text.name(row[3].bits)
      text.word("\(row[4].blob)")
      text.number(row[5].bits)
      text.number(row[6].bits)
      // Data in memory is written later and may be lost.
      guard disk === world.serverDisk, let progress = world.server?.progress(of: replica)
      else { continue }
      text.number(progress.acknowledgedSequence)
      text.number(progress.toldSequence)
    }
    for row in rows[2] {
      text.line("record")
      text.number(row[0].bits)
      text.record(try Record(decoding: row[1].blob), at: now)
      if let due = row[2].bits {
        text.hours(from: now, to: WallTime(milliseconds: Int64(bitPattern: due)))
      }
      guard let history = RecordHistory(decoding: row[3].blob) else { continue }
      for fingerprint in history.judged { write(fingerprint, to: &text) }
    }
    for row in rows[3] {
      text.number(row[0].bits)
      text.name(row[1].bits)
    }
  }

  // MARK: Oracle

  /// A register in the server's merge history: its write and its stamp.
  private func write(_ fingerprint: UInt64, to text: inout CanonicalText) {
    for (id, write) in world.accounts[0].oracle.writes.enumerated() {
      for stamp in write.stamps {
        let register = Register(field: write.field, stamp: stamp, value: write.value)
        guard register.fingerprint == fingerprint else { continue }
        text.number(UInt64(id))
        return text.stamp(stamp)
      }
    }
    text.number(fingerprint)
  }

  private func write(_ account: Account, to text: inout CanonicalText, _ now: WallTime) {
    let oracle = account.oracle
    for (id, write) in oracle.writes.enumerated() {
      text.line("write \(id)")
      text.key(write.key)
      text.word("\(write.field):")
      text.value(write.field, write.value)
      text.word(
        "action \(write.action) \(write.parents) \(write.known) \(write.isOwed) \(write.wasTaken)")
      text.word("\(write.device) \(write.family)")
      for stamp in write.stamps { text.stamp(stamp) }
      text.word("committed:")
      for stamp in write.committedStamps.sorted() { text.stamp(stamp) }
    }
    text.line("judge")
    for ids in [
      oracle.forgetting.absent, oracle.forgetting.met, oracle.forgetting.ever,
      oracle.sharedByCopies, oracle.dismissed, oracle.served,
    ] {
      text.word("\(ids.sorted())")
    }
    for held in account.acknowledged.all {
      text.key(held.key)
      text.register(held.register)
    }
    text.line("journal")
    for held in account.journal.sorted(by: {
      ($0.key, $0.register.field, $0.register.stamp) < (
        $1.key, $1.register.field, $1.register.stamp
      )
    }) {
      text.key(held.key)
      text.register(held.register)
    }
    text.number(account.seenHead)
    text.time(account.greatest)
    text.hours(from: now, to: account.looked)
  }
}
