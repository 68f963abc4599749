// SPDX-License-Identifier: Apache-2.0
// The row of a replica's state: who it is, and how far it has synced.

import AtrestReplication
import AtrestSync
import AtrestWire

extension ReplicaState {
  func write(to writer: inout RowWriter) {
    writer.number(replica.rawValue)
    writer.number(clock.latest.rawValue)
    writer.optional(cursor, Self.write)
    writer.optional(account) { $0.text($1) }
    writer.optional(server) { $0.text($1) }
    writer.optional(token) { $0.text($1) }
    writer.optional(lastSync) { $0.signed($1.milliseconds) }
    writer.signed(serverOffset.milliseconds)
    writer.optional(head, Self.write)
    writer.optional(mustReconcile) { $0.number($1) }
    writer.number(takenThrough.number)
    writer.number(takenThrough.token)
    writer.number(lastNumber)
    writer.optional(renewal) { $0.data($1) }
    writer.optional(joining) { writer, joining in
      writer.text(joining.link)
      writer.data(joining.nonce)
    }
    writer.flag(isServerClockDoubtful)
    writer.flag(hasAccessEnded)
  }

  /// - Parameter hasTakenNumber: Whether the row tells how far the server took the outbox. Those of
  ///   format 1 have only the token.
  init(from reader: inout RowReader, hasTakenNumber: Bool) throws(RowReader.Damage) {
    self.init()
    replica = ReplicaID(rawValue: try reader.number())
    let latest = HybridTime(rawValue: try reader.number())
    guard latest <= .latest else { throw RowReader.Damage() }
    clock = HybridClock(latest: latest)
    cursor = try reader.optional(Self.readCursor)
    account = try reader.optional(Self.readText)
    server = try reader.optional(Self.readText)
    token = try reader.optional(Self.readText)
    lastSync = try reader.optional { reader throws(RowReader.Damage) in
      WallTime(milliseconds: try reader.signed())
    }
    serverOffset = ServerOffset(milliseconds: try reader.signed())
    head = try reader.optional(Self.readCursor)
    mustReconcile = try reader.optional { reader throws(RowReader.Damage) in try reader.number() }
    let taken = hasTakenNumber ? try reader.number() : 0
    takenThrough = OutboxPosition(number: taken, token: try reader.number())
    lastNumber = try reader.number()
    guard taken <= OutboxSegment.lastNumber, lastNumber <= OutboxSegment.lastNumber else {
      throw RowReader.Damage()
    }
    renewal = try reader.optional { reader throws(RowReader.Damage) in try reader.data() }
    joining = try reader.optional { reader throws(RowReader.Damage) in
      PendingJoin(link: try reader.text(), nonce: try reader.data())
    }
    isServerClockDoubtful = try reader.flag()
    hasAccessEnded = try reader.flag()
  }

  private static func write(_ writer: inout RowWriter, _ cursor: Cursor) {
    writer.number(cursor.commit)
    writer.number(cursor.sequence)
  }

  private static func readCursor(_ reader: inout RowReader) throws(RowReader.Damage) -> Cursor {
    Cursor(commit: try reader.number(), sequence: try reader.number())
  }

  private static func readText(_ reader: inout RowReader) throws(RowReader.Damage) -> String {
    try reader.text()
  }
}
