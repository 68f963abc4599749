// SPDX-License-Identifier: Apache-2.0
// Serializes a state so that two states that differ only in names and elapsed time have the same
// text.

import AtrestReplication
import AtrestWire

/// The parts of a state, collected until all names and times in it are known.
///
/// - Commit names and tokens: numbered in order of occurrence. Only equality matters.
/// - Identities and values: by rank, because they break ties.
/// - Times: by rank, with the distance to the previous time. A distance below 64 is exact, because
///   a replica increments its clock. Of longer distances only the hours matter, because clocks step
///   by hours.
/// - Sequences and outbox numbers: unchanged.
struct CanonicalText {
  private enum Piece {
    case word(String)
    case name(UInt64)
    case replica(ReplicaID)
    case value(FieldNumber, [UInt8])
    case time(HybridTime)
  }

  private var pieces: [Piece] = []

  mutating func word(_ word: String) { pieces.append(.word(word)) }
  mutating func number(_ number: UInt64?) { word(number.map { "\($0)" } ?? "-") }
  mutating func flag(_ flag: Bool) { word(flag ? "+" : "-") }
  mutating func time(_ time: HybridTime) { pieces.append(.time(time)) }
  mutating func replica(_ replica: ReplicaID) { pieces.append(.replica(replica)) }

  /// Nil, and 0 for "none", stay unchanged.
  mutating func name(_ name: UInt64?) {
    guard let name, name != 0 else { return number(name) }
    pieces.append(.name(name))
  }

  /// A time of which only the hours until then matter.
  mutating func hours(from now: WallTime, to time: WallTime) {
    word("\(Self.hours(time.milliseconds - now.milliseconds))h")
  }

  mutating func stamp(_ stamp: Stamp?) {
    guard let stamp else { return word("-") }
    time(stamp.time)
    replica(stamp.replica)
  }

  mutating func value(_ field: FieldNumber, _ value: [UInt8]) {
    pieces.append(.value(field, value))
  }

  mutating func register(_ register: Register) {
    word("\(register.field):")
    stamp(register.stamp)
    stamp(register.replaced)
    value(register.field, register.value)
    for held in register.held { stamp(held) }
  }

  /// The key of a journal entry, which contains the losing write.
  mutating func key(_ key: RecordKey) {
    word("key \(key.kind.rawValue)")
    guard key.kind == .conflict, key.id.count >= 24 else { return word("\(key.id)") }
    let numbers = [16, 8].map { end in
      key.id.suffix(end).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    word("\(key.id.dropLast(16))")
    stamp(
      Stamp(time: HybridTime(rawValue: numbers[0]), replica: ReplicaID(rawValue: numbers[1])))
  }

  mutating func record(_ record: Record, at now: WallTime) {
    key(record.key)
    let entry = record.key.kind == .conflict ? try? Conflict(record) : nil
    for register in record.registers {
      if let lost = entry?.record, register.field == Conflict.recordField {
        word("record")
        self.record(lost, at: now)
        continue
      }
      guard let entry, register.field == Conflict.entryField else {
        self.register(register)
        continue
      }
      word("entry")
      stamp(register.stamp)
      stamp(register.replaced)
      key(entry.key)
      self.register(entry.lost)
      self.register(entry.kept)
      hours(from: now, to: entry.noticed)
    }
  }

  mutating func offer(_ offer: Offer, at now: WallTime) {
    word("offer \(offer.written) \(offer.isRestored)")
    record(offer.record, at: now)
  }

  mutating func line(_ title: String) { word("\n\(title)") }

  private static func hours(_ milliseconds: Int64) -> Int64 {
    Int64((Double(milliseconds) / 3_600_000).rounded())
  }

  // MARK: Text

  /// The state as text.
  var text: String {
    var times: Set<HybridTime> = []
    var replicas: Set<ReplicaID> = []
    var values: [FieldNumber: Set<[UInt8]>] = [:]
    for piece in pieces {
      switch piece {
      case .time(let time): times.insert(time)
      case .replica(let replica): replicas.insert(replica)
      case .value(let field, let value): values[field, default: []].insert(value)
      case .word, .name: break
      }
    }
    let timeNames = Self.names(of: times.sorted())
    let replicaRanks = Self.ranks(replicas.sorted())
    let valueRanks = values.mapValues { Self.ranks($0.sorted { $0.lexicographicallyPrecedes($1) }) }
    var names: [UInt64: Int] = [:]
    return pieces.map { piece in
      switch piece {
      case .word(let word): return word
      case .time(let time): return timeNames[time] ?? ""
      case .replica(.none): return "@none"
      case .replica(let replica): return "@\(replicaRanks[replica] ?? 0)"
      // Field 1 has only two possible values.
      case .value(Register.deletedField, let value): return "\(value)"
      case .value(let field, let value): return "v\(valueRanks[field]?[value] ?? 0)"
      case .name(let name):
        let number = names[name] ?? names.count
        names[name] = number
        return "n\(number)"
      }
    }.joined(separator: " ")
  }

  private static func ranks<T: Hashable>(_ sorted: [T]) -> [T: Int] {
    Dictionary(sorted.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// Names each time by its rank and by the distances of all times up to it.
  private static func names(of sorted: [HybridTime]) -> [HybridTime: String] {
    var names: [HybridTime: String] = [:]
    var last: HybridTime?
    for (rank, time) in sorted.enumerated() {
      let distance = last.map { time.rawValue - $0.rawValue } ?? 0
      let far = hours(Int64(clamping: distance >> 16))
      names[time] = "t\(rank)" + (distance < 64 ? "=\(distance)" : far == 0 ? "" : "+\(far)h")
      last = time
    }
    return names
  }
}
