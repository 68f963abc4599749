// SPDX-License-Identifier: Apache-2.0
// What the server remembers of a record beside the record, so that each register is judged once.

/// Fingerprints of registers that an account's copy of a record had, or met, and has no more; and
/// of those that the writer of its deletion knew.
///
/// Whatever lost was judged when it lost. A device that was away while the server was put back
/// offers it again, because it cannot know what the server forgot; what is listed here was not
/// forgotten. Eight bytes each; nothing for a record that was never edited.
public struct RecordHistory: Hashable, Sendable {
  /// Registers kept of one record, the newest: what else comes back is judged again, which at worst
  /// journals a write that nobody lost.
  public static let limit = 64

  /// Of registers that are gone, in the order in which they went.
  public private(set) var judged: [UInt64] = []
  /// Of registers that are there, and that the writer of the deletion knew; none while the record
  /// is not deleted.
  public private(set) var known: [UInt64] = []

  /// Nothing yet.
  public init() {}

  /// Notes what became of the account's copy.
  ///
  /// - Parameters:
  ///   - copy: As it was.
  ///   - offer: What it met; nil where it was pruned.
  mutating func note(_ copy: Record, meeting offer: Offer?, became result: Record) {
    let met = offer.map { offer in offer.record.registers.filter { offer.isOpen($0.field) } }
    for register in copy.registers + (met ?? [])
    where register.field != Register.pruneFloorField {
      let fingerprint = register.fingerprint
      guard result[register.field]?.fingerprint != fingerprint, !judged.contains(fingerprint)
      else { continue }
      judged.append(fingerprint)
    }
    trim()
    guard result.isDeleted else {
      known = []
      return
    }
    guard let deletion = result[Register.deletedField], copy[Register.deletedField] != deletion
    else { return }
    // Only a write comes with what its writer held; what others give back comes with what they
    // hold.
    let isWritten = offer?.written.contains(Register.deletedField) == true
    let held = isWritten ? offer?.record.registers ?? [] : []
    known = held.filter { result[$0.field] == $0 }.prefix(Self.limit).map(\.fingerprint)
  }

  /// Notes the actions that lost in a conflict, if nobody saw them whole: each by its field 1.
  mutating func note(actions lost: [Register]) {
    let actions = lost.filter { $0.field == Register.deletedField && $0.value.isEmpty }
      .sorted { $0.stamp < $1.stamp }.map(\.fingerprint)
    judged += actions.filter { !judged.contains($0) }
    trim()
  }

  private mutating func trim() {
    judged.removeFirst(max(0, judged.count - Self.limit))
  }

  /// With what pruning took out of a record; a journal entry, which is never judged, has none.
  public func pruning(_ record: Record, to result: Record) -> RecordHistory {
    guard record.key.kind != .conflict else { return self }
    var copy = self
    copy.note(record, meeting: nil, became: result)
    return copy
  }
}

extension RecordHistory {
  /// How many are `judged` in a byte, and all fingerprints, big-endian. Empty for nothing.
  public var encoded: [UInt8] {
    guard !judged.isEmpty || !known.isEmpty else { return [] }
    return [UInt8(judged.count)]
      + (judged + known).flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } }
  }

  /// What `encoded` gave; nil for anything else.
  public init?(decoding bytes: [UInt8]) {
    guard let count = bytes.first else { return }
    guard bytes.count % 8 == 1, bytes.count <= 1 + 16 * Self.limit, count <= Self.limit else {
      return nil
    }
    let numbers = stride(from: 1, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    judged = Array(numbers.prefix(Int(count)))
    known = Array(numbers.dropFirst(Int(count)))
    guard !numbers.isEmpty, judged.count == count else { return nil }
  }
}

extension Register {
  /// Stands for the field, the stamp and the value: 64 bits. Who makes two alike on purpose
  /// deceives his own journal, and nobody else's.
  ///
  /// ``FNV1a`` over the field (4 bytes), the clock and the replica (8 each), big-endian, and the
  /// value.
  public var fingerprint: UInt64 {
    var hash = FNV1a()
    hash.add(bigEndian: field)
    hash.add(bigEndian: stamp.time.rawValue)
    hash.add(bigEndian: stamp.replica.rawValue)
    hash.add(value)
    return hash.value
  }
}
