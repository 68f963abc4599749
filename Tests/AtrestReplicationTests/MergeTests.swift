// SPDX-License-Identifier: Apache-2.0
// The laws of merging. They make the order, number and route of deliveries irrelevant.

import AtrestReplication
import AtrestTestSupport
import Testing

@Suite("Merging records", .timeLimit(.minutes(20)))
struct MergeTests {
  @Test("is commutative")
  func commutative() {
    checkLaw { random in
      let (a, b) = (Record.random(&random), Record.random(&random))
      return a.merged(with: b) == b.merged(with: a)
    }
  }

  @Test("is associative")
  func associative() {
    checkLaw { random in
      let (a, b, c) = (Record.random(&random), Record.random(&random), Record.random(&random))
      return a.merged(with: b).merged(with: c) == a.merged(with: b.merged(with: c))
    }
  }

  @Test("is idempotent")
  func idempotent() {
    checkLaw { random in
      let (a, b) = (Record.random(&random), Record.random(&random))
      let once = a.merged(with: b)
      return a.merged(with: a) == a && once.merged(with: b) == once && once.merged(with: a) == once
    }
  }

  @Test("keeps, in every field, the register that does not give way, if the floors are equal")
  func keepsTheGreater() {
    checkLaw { random in
      let (a, b) = (Record.random(&random), Record.random(&random))
      guard a.floor == b.floor else { return true }
      let merged = a.merged(with: b)
      return merged.registers.allSatisfy { kept in
        [a[kept.field], b[kept.field]].compactMap(\.self).contains(kept)
          && [a[kept.field], b[kept.field]].compactMap(\.self).allSatisfy { !kept.givesWay(to: $0) }
      } && (a.registers + b.registers).allSatisfy { merged[$0.field] != nil }
    }
  }

  @Test("keeps the whole copy with the greater floor, if the floors differ")
  func keepsTheNewer() {
    checkLaw { random in
      let (a, b) = (Record.random(&random), Record.random(&random))
      guard a.floor != b.floor else { return true }
      let isOutlived = b.floor.map { theirs in a.floor?.givesWay(to: theirs) ?? true } ?? false
      return a.merged(with: b) == (isOutlived ? b : a)
    }
  }

  @Test("gives one result whatever the order and the repetitions of deliveries")
  func deliveryOrder() {
    checkLaw { random in
      let copies = (0..<5).map { _ in Record.random(&random) }
      let straight = copies.reduce(Record(key: .some)) { $0.merged(with: $1) }
      let deliveries = (copies + copies + [copies[0]]).shuffled(using: &random)
      return deliveries.reduce(Record(key: .some)) { $0.merged(with: $1) } == straight
    }
  }

  @Test("converges when a copied database gives two values one stamp")
  func equalStamps() {
    checkLaw { random in
      let stamp = Stamp.random(&random)
      let values = (0..<3).map { UInt8($0) }.shuffled(using: &random)
      let copies = values.map { value in
        var record = Record(key: .some)
        record.set(Register(field: 2, stamp: stamp, value: [value]))
        return record
      }
      return copies.reduce(Record(key: .some)) { $0.merged(with: $1) }[2]?.value == [2]
    }
  }

  @Test("keeps kinds and fields that this build does not know")
  func unknownFields() {
    checkLaw { random in
      let key = RecordKey(kind: RecordKind(rawValue: 77), id: [9])
      var (a, b) = (Record.random(&random, key: key), Record.random(&random, key: key))
      let unknown = Register(field: 536_870_911, stamp: Stamp(9, 9), value: [7, 7])
      if let floor = [a.floor, b.floor].compactMap(\.self).max(by: { $0.givesWay(to: $1) }) {
        a.set(floor)
      }
      a.set(unknown)
      b.merge(a)
      return b[536_870_911] == unknown && b.key == key
    }
  }

  @Test("obeys the laws for every triple of a small scope")
  func exhaustive() {
    var copies = [Record(key: .some)]
    for time: UInt64 in 1...2 {
      for replica: UInt64 in 1...2 {
        for value: UInt8 in 0...1 {
          for replaced in [nil, Stamp(1, 1), Stamp(2, 2)] {
            var record = Record(key: .some)
            record.set(
              Register(field: 2, stamp: Stamp(time, replica), replaced: replaced, value: [value]))
            copies.append(record)
          }
        }
      }
    }
    // Four pruned records, with and without newer registers.
    for time: UInt64 in 1...2 {
      let floor = Register(
        field: 15, stamp: Stamp(time, 1), value: Register.pruneFloorValue)
      var record = Record(key: .some)
      record.set(floor)
      copies.append(record)
      record.set(Register(field: 2, stamp: Stamp(2, 2), value: [1]))
      copies.append(record)
    }
    var violations = 0
    for a in copies {
      for b in copies {
        if a.merged(with: b) != b.merged(with: a) { violations += 1 }
        for c in copies
        where a.merged(with: b).merged(with: c) != a.merged(with: b.merged(with: c)) {
          violations += 1
        }
      }
    }
    #expect(copies.count == 29)
    #expect(violations == 0)
  }

  @Test("reports each register that lost, with the one that stays")
  func reportsLosses() {
    checkLaw { random in
      let (a, b) = (Record.random(&random), Record.random(&random))
      var merged = a
      var losses: [Register] = []
      var isRight = true
      let floors = [a.floor, b.floor]
      merged.merge(b) { lost, kept in
        losses.append(lost)
        isRight = isRight && (floors.contains(kept) || lost.givesWay(to: kept))
      }
      let expected = (a.registers + b.registers).filter { merged[$0.field] != $0 }
      return isRight && Set(losses) == Set(expected)
    }
  }

  @Test("refuses registers out of order or twice")
  func shape() {
    let one = Register(field: 1, stamp: Stamp(1, 1), value: [])
    let two = Register(field: 2, stamp: Stamp(1, 1), value: [])
    #expect(Record(key: .some, registers: [one, two]) != nil)
    #expect(Record(key: .some, registers: [two, one]) == nil)
    #expect(Record(key: .some, registers: [one, one]) == nil)
  }
}
