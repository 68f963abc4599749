// SPDX-License-Identifier: Apache-2.0
// Fingerprints that the server stores beside a record so that each register is judged once.

/// Fingerprints of the registers that an account's copy of a record had or met and no longer has.
///
/// A register is judged when it loses. A device that was away while the server was restored from a
/// backup offers it again, because it cannot know what the server lost; a listed register was not
/// lost. Costs eight bytes per register, and nothing for a record that was never edited.
public struct RecordHistory: Hashable, Sendable {
  /// The most fingerprints; the newest are kept. A register past the limit is judged again
  /// if it returns, which at worst journals a write that nobody lost.
  public static let limit = 64

  /// Registers that are gone, in the order in which they went.
  public private(set) var judged: [UInt64] = []

  /// Creates an empty history.
  public init() {}

  /// Records the outcome of a merge or of pruning.
  ///
  /// - Parameters:
  ///   - copy: The account's copy before.
  ///   - met: What was judged of the offer that was merged into it; none for pruning.
  mutating func note(_ copy: Record, meeting met: [Register] = [], became result: Record) {
    for register in copy.registers + met
    where register.field != Register.pruneFloorField {
      let fingerprint = register.fingerprint
      guard result[register.field]?.fingerprint != fingerprint, !judged.contains(fingerprint)
      else { continue }
      judged.append(fingerprint)
    }
    trim()
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
    copy.note(record, became: result)
    return copy
  }
}

extension RecordHistory {
  /// One byte with the number of fingerprints, then the fingerprints, big-endian. Empty for an
  /// empty history.
  public var encoded: [UInt8] {
    guard !judged.isEmpty else { return [] }
    return [UInt8(judged.count)]
      + judged.flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } }
  }

  /// Decodes the bytes of `encoded`; nil if they are malformed. Stores of 0.1.0 have a second list
  /// behind the first one, which is dropped.
  public init?(decoding bytes: [UInt8]) {
    guard let count = bytes.first.map(Int.init) else { return }
    guard bytes.count % 8 == 1, (2...1 + 16 * Self.limit).contains(bytes.count),
      count <= Self.limit, bytes.count >= 1 + 8 * count
    else { return nil }
    judged = stride(from: 1, to: 1 + 8 * count, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
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
