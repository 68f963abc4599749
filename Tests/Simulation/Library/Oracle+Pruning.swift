// SPDX-License-Identifier: Apache-2.0
// What a server forgot when it was put back, write by write; and what deletions took twice. Both
// are granted.

import AtrestReplication

/// A write that a server forgot comes back as something held, not as something written. So the
/// server cannot tell whether the writer of what it meets knew it, and either may supersede the
/// other without an entry, or with one too many.
struct Forgetting {
  /// Pruned, and not back since.
  private(set) var absent: Set<Int> = []
  /// What stood in the place of a pruned write at the moment when that came back and won. It
  /// need not be found.
  private(set) var met: Set<Int> = []
  /// Pruned at any time.
  private(set) var ever: Set<Int> = []

  mutating func forget(_ ids: [Int]) {
    absent.formUnion(ids)
    ever.formUnion(ids)
  }

  /// A register took the place of another on the server.
  mutating func replace(_ before: [Int], by after: [Int]) {
    let back = after.filter(absent.contains)
    guard !back.isEmpty else { return }
    absent.subtract(back)
    met.formUnion(before)
  }
}

extension Oracle {
  /// Notes what a server had, and has no more because a copy was put in its place.
  mutating func notePruned(before: Holdings, after: Holdings) {
    // What lost to one that says the same was taken in, too.
    let was = covered(by: before, isHeldEnough: true, isEqualEnough: true)
    let isStill = covered(by: after, isHeldEnough: true, isDismissedEnough: false)
    forgetting.forget(writes.indices.filter { was[$0] && !isStill[$0] })
  }

  /// Notes what the server made of a record.
  mutating func noteCommitted(_ before: Record?, _ after: Record) {
    if let floor = after[Register.pruneFloorField] {
      floors[after.key, default: []].insert(floor.stamp)
    }
    for id in after[Register.deletedField].map({ writes(of: $0, in: after.key) }) ?? [] {
      writes[id].wasTaken = true
    }
    guard !forgetting.absent.isEmpty else { return }
    for register in after.registers where before?[register.field] != register {
      let replaced = before?[register.field].map { writes(of: $0, in: after.key) } ?? []
      forgetting.replace(replaced, by: writes(of: register, in: after.key))
    }
  }

  /// What the writer of a deletion knew, and pruning took out, where another deletion was pruned
  /// since. If an action brought it back in between, without writing it anew, and the other
  /// deletion's writer knew neither, the journal lists the action only.
  func takenTwice(_ holdings: Holdings) -> Set<Int> {
    var taken: Set<Int> = []
    for (key, last) in holdings.floors {
      for floor in floors[key, default: []] where floor < last {
        for id in deletions(of: key, at: floor) {
          for known in writes[id].known { taken.formUnion(past(of: known).union([known])) }
        }
      }
    }
    return taken
  }
}
