// SPDX-License-Identifier: Apache-2.0
// The offers of a request that wait for a person's confirmation, because it deletes too much.

import AtrestProtocol
import AtrestReplication

extension MassDeletion {
  /// The indices of offers to refuse unless a person confirms: all deletions of a request that
  /// would leave less than half of the records, with what else was deleted within a day. What
  /// another offer of the request brings back, by a greater stamp, is not deleted.
  ///
  /// - Parameter isNew: Whether the offer at an index was not judged before.
  /// - Complexity: One lookup per deletion, and none if there are too few deletions to matter.
  static func withheld(
    _ request: PreparedExchange, _ feed: AccountFeed, isNew: (Int) -> Bool = { _ in true }
  ) throws(StoreError) -> Set<Int> {
    var deletions = request.items.filter { $0.deletes && isNew($0.index) }
    guard !deletions.isEmpty else { return [] }
    var revivals: [[UInt8]: Stamp] = [:]
    for item in request.items where item.revives {
      guard let action = item.offer.record[Register.deletedField] else { continue }
      revivals[item.key] = max(revivals[item.key] ?? action.stamp, action.stamp)
    }
    deletions.removeAll { deletion in
      guard let revival = revivals[deletion.key] else { return false }
      return deletion.offer.record[Register.deletedField].map { $0.stamp < revival } ?? false
    }
    let recent = feed.deletions.count(at: feed.time)
    let live = feed.holdings.live + recent
    guard needsWord(deletions: deletions.count + recent, of: live) else { return [] }
    var indices: Set<Int> = []
    var keys: Set<[UInt8]> = []
    var loaded = 0
    for (index, item) in deletions.enumerated() {
      if loaded == index { loaded += try feed.load(deletions[index...].map(\.key)).count }
      guard let found = try feed.find(item.key), found.body != item.body else { continue }
      // A corrupt record is refused on its own during the merge.
      guard let stored = try? Record(unpacking: found.body), stored.isLive else { continue }
      indices.insert(item.index)
      keys.insert(item.key)
    }
    return needsWord(deletions: keys.count + recent, of: live) ? indices : []
  }
}
