// SPDX-License-Identifier: Apache-2.0
// What a replica pushes, and what merging it into the account's copy leads to.

/// A whole record that holds writes the server has not acknowledged.
public struct Offer: Hashable, Sendable {
  /// The record as the replica had it when it wrote.
  public var record: Record
  /// The fields it wrote; the others come along so that nothing is lost if the server lost them. Ascending.
  public var written: [FieldNumber]

  /// An offer.
  public init(record: Record, written: [FieldNumber]) {
    self.record = record
    self.written = written
  }

  /// What the server holds after taking an offer in.
  public struct Outcome: Hashable, Sendable {
    /// The merged record.
    public let record: Record
    /// Whether some written register lost, so that the replica does not yet hold the result.
    public let isSuperseded: Bool
    /// Writes that lost to one that did not know them, in field order.
    public let conflicts: [Conflict]
  }

  /// Merges the offer into the account's copy of the record.
  ///
  /// Only written fields can conflict: any other register was acknowledged before, and was judged then.
  /// - Parameters:
  ///   - stored: The account's copy; nil if it has none.
  ///   - now: The server's clock, noted in journal entries.
  public func merged(into stored: Record?, at now: WallTime) -> Outcome {
    guard var result = stored else {
      return Outcome(record: record, isSuperseded: false, conflicts: [])
    }
    var isSuperseded = false
    var conflicts: [Conflict] = []
    result.merge(record) { lost, kept in
      if record[lost.field] == lost { isSuperseded = true }
      if written.contains(lost.field), record.key.kind != .conflict, kept.isConcurrent(with: lost) {
        conflicts.append(
          Conflict(key: record.key, field: lost.field, lost: lost, kept: kept, noticed: now))
      }
    }
    return Outcome(record: result, isSuperseded: isSuperseded, conflicts: conflicts)
  }
}
