// SPDX-License-Identifier: Apache-2.0
// Which records changed in a replica.

import AtrestReplication

/// Records that changed, in one transaction or in several that were not taken one by one.
public struct ChangedRecords: Hashable, Sendable {
  /// Records that this program wrote, deleted, restored or undid.
  public var written: Set<RecordKey> = []
  /// Records that came from the account's other devices, journal entries among them.
  public var received: Set<RecordKey> = []
  /// Whether more changed than is named here: then read again whatever you show.
  public var isIncomplete = false

  /// The most records that are named. Beyond that none is.
  public static let limit = 10_000

  /// Nothing changed.
  public init() {}

  /// All of them.
  public var keys: Set<RecordKey> { written.union(received) }

  /// Whether nothing changed.
  public var isEmpty: Bool { written.isEmpty && received.isEmpty && !isIncomplete }

  /// Whether something of a kind may have changed.
  public func concerns(_ kind: RecordKind) -> Bool {
    isIncomplete || keys.contains { $0.kind == kind }
  }

  /// Adds later changes.
  mutating func add(_ later: ChangedRecords) {
    written.formUnion(later.written)
    received.formUnion(later.received)
    isIncomplete = isIncomplete || later.isIncomplete
    if isIncomplete || written.count + received.count > Self.limit {
      self = ChangedRecords()
      isIncomplete = true
    }
  }
}
