// SPDX-License-Identifier: Apache-2.0
// Checks that journal entries are true: both writes were made, and the winner's writer did not know
// the loser.

import AtrestReplication

extension Oracle {
  /// What is wrong with an entry. Nil if it is true.
  func fault(of entry: Conflict) -> String? {
    let lost = stamped(entry.lost, in: entry.key)
    let kept =
      entry.kept.field == Register.pruneFloorField
      ? deletions(of: entry.key, at: entry.kept.stamp) : stamped(entry.kept, in: entry.key)
    guard !lost.isEmpty, !kept.isEmpty else {
      return "the journal holds a write that nobody made"
    }
    if entry.lost.field == entry.kept.field, entry.lost.value == entry.kept.value {
      return "a false entry: the journal says that a write lost to one that says the same"
    }
    let isHeld =
      entry.record?.registers.contains {
        $0 == entry.lost || entry.isAction && $0.stamp == entry.lost.stamp
      } ?? false
    guard isHeld else { return "the journal does not hold the record of the side that lost" }
    let isTrue = kept.contains { winner in
      let past = past(of: winner)
      return lost.contains { $0 != winner && !isSeen($0, in: past) }
    }
    guard !isTrue else { return nil }
    let isRenamed = lost.contains { writes[$0].stamps.count > 1 }
    return "a false entry: the journal says that a write lost to one that knew it"
      + (isRenamed ? ", under another stamp" : "")
  }

  /// Whether a false entry is excused. Either a restored server forgot one of the two writes, or
  /// one between them. Or the lost write was pending when its replica took a new identity or its
  /// disk was copied, so two replicas offer it as their own. Or it was withdrawn, its device wrote
  /// the kept one in its place, and a request under way brought it to a server that was put back
  /// (seed 0x8dac1).
  ///
  /// - Parameter wasPutBack: Whether a server was put back, or lost commits that a device may have
  ///   seen.
  func isGranted(_ entry: Conflict, wasPutBack: Bool) -> Bool {
    let lost = stamped(entry.lost, in: entry.key)
    let kept =
      stamped(entry.kept, in: entry.key) + deletions(of: entry.key, at: entry.kept.stamp)
    if (lost + kept).contains(where: forgetting.ever.contains) { return true }
    if lost.contains(where: isDoubled) { return true }
    let devices = Set(kept.map { writes[$0].device })
    let isReplaced = lost.contains {
      writes[$0].wasWithdrawn && devices.contains(writes[$0].device)
    }
    if wasPutBack, isReplaced { return true }
    return kept.contains { winner in
      past(of: winner).contains { between in
        guard forgetting.ever.contains(between) else { return false }
        let known = past(of: between)
        return lost.contains { isSeen($0, in: known) }
      }
    }
  }

  /// Whether the entry may exist twice: two replicas offer the write as their own, or a server that
  /// lost it refused its stamp when it came back.
  func isDoubled(_ id: Int) -> Bool {
    sharedByCopies.contains(id) || writes[id].stamps.count > 1 && forgetting.ever.contains(id)
      || Set(writes[id].stamps.map(\.replica)).subtracting([.none]).count > 1
  }

  /// The writer of a deletion knew an action if it knew any of the action's writes.
  private func isSeen(_ lost: Int, in past: Set<Int>) -> Bool {
    if past.contains(lost) { return true }
    return writes[lost].field == Register.deletedField
      && action(of: lost).contains(where: past.contains)
  }

  /// The writes that a writer certainly knew: the replaced write, its replaced write, and so on,
  /// and for an action also the record's other fields. For indistinguishable writes, those that all
  /// their writers knew.
  func past(of id: Int) -> Set<Int> {
    var past: Set<Int> = []
    var left = parents(of: id) + writes[id].known.filter { !action(of: id).contains($0) }
    while let next = left.popLast() {
      guard past.insert(next).inserted else { continue }
      left += parents(of: next) + writes[next].known
    }
    return past
  }

  private func parents(of id: Int) -> [Int] {
    let parents = writes[id].parents
    guard parents.count > 1 else { return parents }
    let pasts = parents.map { past(of: $0).union([$0]) }
    return Array(pasts.dropFirst().reduce(pasts[0]) { $0.intersection($1) })
  }
}
