// SPDX-License-Identifier: Apache-2.0
// Which writes are covered: visible, journalled, dismissed by a person, or known to the writer of a
// covered one.

import AtrestReplication

extension Oracle {
  /// The covered writes.
  ///
  /// - Parameters:
  ///   - isHeldEnough: Whether a write in a deleted record counts as visible. It is still held, but
  ///     nobody sees it.
  ///   - isEqualEnough: Whether a greater write with an equal value covers a write. Nil: the
  ///     opposite of `isHeldEnough`.
  ///   - isDismissedEnough: Whether entries that a person dismissed, and expired ones, count as
  ///     covered wherever they are.
  ///   - granted: Writes that count as covered for another reason.
  ///   - isStampEnough: Whether a writer that knew a write counts as knowing others with its stamp.
  func covered(
    by holdings: Holdings, isHeldEnough: Bool, isEqualEnough: Bool? = nil,
    isDismissedEnough: Bool = true, granting granted: Set<Int> = [], isStampEnough: Bool = false
  ) -> [Bool] {
    // An equal value is not the held write. When holders disappear, only the write itself counts.
    let isEqualEnough = isEqualEnough ?? !isHeldEnough
    var covered = [Bool](repeating: false, count: writes.count)
    if isDismissedEnough { for id in dismissed.union(served) { covered[id] = true } }
    for id in granted { covered[id] = true }
    for held in holdings.visible { cover(writes(of: held), &covered) }
    for held in holdings.journal { cover(writes(of: held), &covered) }
    if isHeldEnough {
      for held in holdings.hidden { cover(writes(of: held), &covered) }
    } else {
      coverListed(&covered, holdings)
    }
    coverDeleted(&covered, holdings, isHeldEnough: isHeldEnough)
    var count = 0
    repeat {
      count = covered.count { $0 }
      coverParents(&covered, isStampEnough: isStampEnough)
      if isEqualEnough { coverEqual(&covered, holdings) }
    } while covered.count { $0 } != count
    return covered
  }

  private func cover(_ ids: [Int], _ covered: inout [Bool]) {
    for id in ids { covered[id] = true }
  }

  /// A register in a deleted record, or in one that an entry holds, is covered if the journal lists
  /// the action that wrote it or one that restored the record with it.
  private func coverListed(_ covered: inout [Bool], _ holdings: Holdings) {
    var listed: Set<Int> = []
    for held in holdings.journal where held.register.field == Register.deletedField {
      for id in writes(of: held) { listed.formUnion(self.listed(by: id)) }
    }
    for held in holdings.hidden {
      for id in writes(of: held) where listed.contains(id) {
        covered[id] = true
      }
    }
  }

  /// The writes that an entry about field 1 stands for: everything the action wrote and, if it
  /// restored a deleted record, everything it restored.
  func listed(by id: Int) -> [Int] {
    let isRevival = writes[id].parents.contains {
      writes[$0].field == Register.deletedField && writes[$0].value == Register.deletedValue
    }
    return action(of: id) + (isRevival ? Array(writes[id].known) : [])
  }

  /// Concurrent writes with equal values. Losing the lesser one loses nothing, and it need not be
  /// journalled. Of the deletions of a record that was pruned since, any one will do.
  private func coverEqual(_ covered: inout [Bool], _ holdings: Holdings) {
    for ids in repeated {
      guard let greatest = ids.filter({ covered[$0] }).compactMap({ writes[$0].stamps.max() }).max()
      else { continue }
      for id in ids where !covered[id] {
        let isGone = writes[id].field == Register.deletedField && isOutlived(id, by: holdings)
        if let least = writes[id].stamps.min(), isGone || least <= greatest { covered[id] = true }
      }
    }
  }

  /// Whether the record was pruned since the write.
  private func isOutlived(_ id: Int, by holdings: Holdings) -> Bool {
    guard let floor = holdings.floors[writes[id].key] else { return false }
    return writes[id].floor.map { $0 < floor } ?? true
  }

  /// Covers writes that deletions removed knowingly: those known to the writer of a deletion, to
  /// the writers of deletions before it, and to the writers of other deletions with equal values,
  /// unless somebody restored them.
  private func coverDeleted(
    _ covered: inout [Bool], _ holdings: Holdings, isHeldEnough: Bool
  ) {
    var ends: [RecordKey: [Int]] = [:]
    for (key, floor) in holdings.floors { ends[key, default: []] += deletions(of: key, at: floor) }
    for held in holdings.visible
    where held.register.field == Register.deletedField
      && held.register.value == Register.deletedValue
    {
      ends[held.key, default: []] += writes(of: held)
    }
    for (key, named) in ends {
      // A restore that is gone with all its holders does not count.
      let revivals = revivals(of: key).filter { writes[$0].isOwed }
      let takenBack = Set(revivals.flatMap { writes[$0].parents })
      let latest = named.compactMap { writes[$0].stamps.max() }.max()
      var left = named
      left += deletions(of: key).filter { id in
        guard !isHeldEnough, let latest, let least = writes[id].stamps.min() else { return false }
        return (writes[id].isOwed || writes[id].wasTaken) && !takenBack.contains(id)
          && (least <= latest || isOutlived(id, by: holdings))
      }
      var seen = Set(left)
      while let id = left.popLast() {
        covered[id] = true
        for known in writes[id].known { coverPast(of: known, &covered) }
        for parent in writes[id].parents where seen.insert(parent).inserted { left.append(parent) }
      }
    }
  }

  private func coverPast(of id: Int, _ covered: inout [Bool]) {
    guard !covered[id] else { return }
    covered[id] = true
    for parent in writes[id].parents { coverPast(of: parent, &covered) }
  }

  /// Parents were noted before their children.
  private func coverParents(_ covered: inout [Bool], isStampEnough: Bool) {
    for id in writes.indices.reversed() where covered[id] {
      for parent in writes[id].parents {
        covered[parent] = true
        for earlier in earlierForeign(than: parent) { covered[earlier] = true }
        if isStampEnough { for twin in twins(of: parent) { covered[twin] = true } }
      }
    }
  }

  /// The foreign program's earlier writes of the same field. It has no replica, so a restored
  /// server shows it the state before both. But it wrote them in this order, and merging assumes
  /// that it knew.
  private func earlierForeign(than id: Int) -> [Int] {
    let write = writes[id]
    guard write.device == Self.foreigner else { return [] }
    return writes.indices.prefix(id).filter {
      writes[$0].device == Self.foreigner && writes[$0].key == write.key
        && writes[$0].field == write.field
    }
  }

  /// Other writes of the field that one device stamped alike: its disk was put back, and so was the
  /// server, which therefore took the device for itself.
  private func twins(of id: Int) -> [Int] {
    guard let stamp = writes[id].stamps.last, stamp.replica != .none else { return [] }
    return writes.indices.filter {
      $0 != id && writes[$0].stamps.last == stamp && writes[$0].device == writes[id].device
        && writes[$0].key == writes[id].key && writes[$0].field == writes[id].field
    }
  }

  /// The first owed write that is not covered, and the number of writes that are excused because a
  /// server forgot them.
  func firstLost(_ holdings: Holdings) -> (lost: Write?, excused: Int) {
    let strictly = covered(by: holdings, isHeldEnough: false)
    let missing = writes.indices.filter { writes[$0].isOwed && !strictly[$0] }
    guard !missing.isEmpty else { return (nil, 0) }
    let granted = covered(
      by: holdings, isHeldEnough: false, granting: forgetting.met,
      isStampEnough: !forgetting.ever.isEmpty)
    let lost = missing.first { !granted[$0] }
    return (lost.map { writes[$0] }, missing.count { granted[$0] })
  }

  /// Stops owing writes that were covered before a copy was lost and are not covered now: every
  /// holder is gone.
  mutating func excuse(before: Holdings, after: Holdings) {
    let was = covered(by: before, isHeldEnough: true)
    let isStill = covered(by: after, isHeldEnough: true)
    for id in writes.indices where was[id] && !isStill[id] {
      // With its field 1 the action is gone, so its other writes belong to nothing.
      let gone = writes[id].field == Register.deletedField ? action(of: id) : [id]
      for id in gone { (writes[id].isOwed, writes[id].wasTaken) = (false, false) }
    }
  }
}
