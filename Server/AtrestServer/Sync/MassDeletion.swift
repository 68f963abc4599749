// SPDX-License-Identifier: Apache-2.0
// Decides when a request deletes so much that a person should be asked first.

import AtrestReplication

/// Guards an account against a broken program, or a hand that slipped.
enum MassDeletion {
  /// Accounts with fewer live records are not guarded: there, half is soon reached.
  static let guardedFrom = 20

  /// The indices of offers that are not to be taken unless a person wants it: all deletions of a
  /// request that would leave less than half.
  ///
  /// - Parameter isNew: Whether the offer with an index was not judged before.
  /// - Complexity: Looks a record up for each deletion, and only if there are enough of them to
  ///   matter.
  static func withheld(
    _ request: PreparedExchange, _ feed: AccountFeed, isNew: (Int) -> Bool = { _ in true }
  ) throws(StoreError) -> Set<Int> {
    let deletions = request.items.filter {
      isNew($0.index) && $0.offer.record.isDeleted
        && $0.offer.written.contains(Register.deletedField)
    }
    guard deletions.count * 2 > guardedFrom else { return [] }
    let live = try feed.holdings().live
    guard live >= guardedFrom, deletions.count * 2 > live else { return [] }
    var indices: Set<Int> = []
    var keys: Set<[UInt8]> = []
    for item in deletions {
      guard let found = try feed.find(key: item.key), found.body != item.body else { continue }
      // One that rotted is refused by itself, where it would be taken in.
      guard let stored = try? Record(decoding: found.body), stored.isLive else { continue }
      indices.insert(item.index)
      keys.insert(item.key)
    }
    return keys.count * 2 > live ? indices : []
  }
}
