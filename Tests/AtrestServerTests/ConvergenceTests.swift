// SPDX-License-Identifier: Apache-2.0
// Devices that write, lose responses and repeat requests converge with the server.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class ConvergenceTests: OneAccount {
  @Test(
    "replicas that have exchanged everything hold the same",
    arguments: seeds(20))
  func convergence(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var replicas = (1...3).map { Replica(id: ReplicaID(rawValue: $0)) }
    for replica in replicas { try store.makeDevice(replica.id, kim) }
    for step in 0..<120 {
      let index = Int.random(in: 0..<3, using: &random)
      let now = noon + Int64(step)
      if Bool.random(using: &random) {
        replicas[index].write(Int.random(in: 0..<6, using: &random), at: now, &random)
      } else {
        // Every third response is lost. The request is repeated later.
        let isLost = Int.random(in: 0..<3, using: &random) == 0
        try replicas[index].exchange(store, kim, at: now, isAnswerLost: isLost)
      }
    }
    // Settle what was sent, send what is pending, and let every device receive it.
    for _ in 0..<3 {
      for index in replicas.indices {
        try replicas[index].exchange(store, kim, at: noon + 1000, isAnswerLost: false)
      }
    }
    let held = Set(replicas.map(\.records))
    #expect(held.count == 1, "seed \(seed)")
    var all: [RecordKey: Record] = [:]
    for record in try store.exchange(kim, request()).decodedRecords { all[record.key] = record }
    #expect(held.first == all, "seed \(seed)")
  }
}

/// The part of a client that convergence needs. A sent offer keeps its number and its bytes until
/// it is settled.
private struct Replica {
  let id: ReplicaID
  var records: [RecordKey: Record] = [:]
  var pending: [RecordKey: Set<FieldNumber>] = [:]
  var sent: [(number: UInt64, offer: [UInt8])] = []
  var clock = HybridClock()
  var cursor: Cursor?
  var position = OutboxPosition.start
  /// The newest token and the greatest number assigned with it.
  var newest = OutboxPosition.start

  init(id: ReplicaID) {
    self.id = id
  }

  mutating func write(_ number: Int, at now: Int64, _ random: inout SeededRandom) {
    let time = clock.tick(at: WallTime(milliseconds: now))
    var new = water(number, millilitres: Int.random(in: 1...9, using: &random), by: id)
    let old = records[new.key]
    for field in new.registers {
      new.set(
        Register(
          field: field.field, stamp: Stamp(time: time, replica: id),
          replaced: old?[field.field]?.stamp, value: field.value))
    }
    records[new.key] = new
    pending[new.key] = Set(new.registers.map(\.field))
  }

  mutating func exchange(
    _ store: SQLiteStore, _ account: AccountID, at now: Int64, isAnswerLost: Bool
  ) throws {
    // A server that judged more than the device knows returns its position. The device continues
    // from there.
    if newest == position {
      for (key, fields) in pending.sorted(by: { $0.key < $1.key }) {
        guard let record = records[key] else { continue }
        newest.number += 1
        sent.append((newest.number, Offer(record: record, written: fields.sorted()).encoded))
      }
      pending = [:]
      newest.token = newest.number
    }
    while true {
      let segment = OutboxSegment(
        confirmed: position, token: max(1, newest.token), settledThrough: position.number,
        numbers: sent.map(\.number))
      let answer = try store.exchange(
        account,
        ExchangeRequest(cursor: cursor, offers: sent.map(\.offer), segment: segment),
        by: id, at: now)
      if isAnswerLost { return }
      #expect(answer.refusals.isEmpty)
      position = try #require(answer.takenThrough)
      sent.removeAll { $0.number <= position.number }
      for record in try answer.decodedRecords {
        var mine = records[record.key] ?? Record(key: record.key)
        mine.merge(record)
        records[record.key] = mine
        if let time = mine.latestTime { clock.observe(time) }
      }
      cursor = answer.cursor
      if !answer.more { return }
    }
  }
}
