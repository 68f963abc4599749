// SPDX-License-Identifier: Apache-2.0
// Fingerprints that the server stores beside a record so that each register is judged once.

/// Fingerprints of the registers that an account's copy of a record had or met and no longer has,
/// and of those that the writer of its deletion knew.
///
/// A register is judged when it loses. A device that was away while the server was restored from a
/// backup offers it again, because it cannot know what the server lost; a listed register was not
/// lost. Costs eight bytes per register, and nothing for a record that was never edited.
public struct RecordHistory: Hashable, Sendable {
  /// The most fingerprints per list; the newest are kept. A register past the limit is judged again
  /// if it returns, which at worst journals a write that nobody lost.
  public static let limit = 64

  /// Registers that are gone, in the order in which they went.
  public private(set) var judged: [UInt64] = []
  /// Present registers that the writer of the deletion knew. Empty while the record is not deleted.
  public private(set) var known: [UInt64] = []

  /// Creates an empty history.
  public init() {}

  /// Records the outcome of a merge or of pruning.
  ///
  /// - Parameters:
  ///   - copy: The account's copy before.
  ///   - offer: The offer that was merged into it; nil for pruning.
  mutating func note(_ copy: Record, meeting offer: Offer?, became result: Record) {
    let met = offer.map { offer in offer.record.registers.filter { offer.canLose($0.field) } }
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
    // Only the writer's own offer carries what the writer had. Anybody else's carries what that
    // device has.
    let isWritten = offer?.written.contains(Register.deletedField) == true
    let held = isWritten ? offer?.record.registers ?? [] : []
    known = held.filter { result[$0.field] == $0 }.prefix(Self.limit).map { $0.fingerprint }
  }

  /// Records the actions that lost in a conflict but are not known whole, each by its field 1.
  mutating func note(actions lost: [Register]) {
    let actions = lost.filter { $0.field == Register.deletedField && $0.value.isEmpty }
      .sorted { $0.stamp < $1.stamp }.map { $0.fingerprint }
    judged += actions.filter { !judged.contains($0) }
    trim()
  }

  private mutating func trim() {
    judged.removeFirst(max(0, judged.count - Self.limit))
  }

  /// The history after pruning `record` to `result`. A journal entry is never judged and has no
  /// history.
  public func pruning(_ record: Record, to result: Record) -> RecordHistory {
    guard record.key.kind != .conflict else { return self }
    var copy = self
    copy.note(record, meeting: nil, became: result)
    return copy
  }
}

extension RecordHistory {
  /// One byte with the number of `judged` fingerprints, then all fingerprints, big-endian. Empty
  /// for an empty history.
  public var encoded: [UInt8] {
    guard !judged.isEmpty || !known.isEmpty else { return [] }
    return [UInt8(judged.count)]
      + (judged + known).flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } }
  }

  /// Decodes the bytes of `encoded`; nil if they are malformed.
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
  /// A 64-bit fingerprint of field, stamp and value. An account that forges a collision corrupts
  /// only its own journal.
  ///
  /// FNV-1a over the field (4 bytes), the clock and the replica (8 each), big-endian, and the
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
