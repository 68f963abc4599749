// SPDX-License-Identifier: Apache-2.0
// The writes that a restored server forgot. They are excused.

import AtrestReplication

/// A forgotten write comes back as a held register, not as a new write. So the server cannot tell
/// whether the writer of another register knew it. Either one may supersede the other without a
/// journal entry, or with an unnecessary one.
struct Forgetting {
  /// Lost in a restore, and not back since.
  private(set) var absent: Set<Int> = []
  /// The registers that a forgotten write replaced when it came back and won. They need not be
  /// found.
  private(set) var met: Set<Int> = []
  /// Lost in a restore at any time.
  private(set) var ever: Set<Int> = []

  mutating func forget(_ ids: [Int]) {
    absent.formUnion(ids)
    ever.formUnion(ids)
  }

  /// A register replaced another one on the server.
  mutating func replace(_ before: [Int], by after: [Int]) {
    let back = after.filter(absent.contains)
    guard !back.isEmpty else { return }
    absent.subtract(back)
    met.formUnion(before)
  }
}

extension Oracle {
  /// Notes what a server had before a restore and lacks now.
  mutating func notePruned(before: Holdings, after: Holdings) {
    // A write that lost to an equal value was accepted, too.
    let was = covered(by: before, isHeldEnough: true, isEqualEnough: true)
    let isStill = covered(by: after, isHeldEnough: true, isDismissedEnough: false)
    forgetting.forget(writes.indices.filter { was[$0] && !isStill[$0] })
  }

  /// Notes the server's merge result for a record.
  mutating func noteCommitted(_ before: Record?, _ after: Record) {
    for id in after[Register.deletedField].map({ writes(of: $0, in: after.key) }) ?? [] {
      writes[id].wasTaken = true
    }
    for register in after.registers where before?[register.field] != register {
      for id in stamped(register, in: after.key) {
        writes[id].committedStamps.insert(register.stamp)
      }
    }
    guard !forgetting.absent.isEmpty else { return }
    for register in after.registers where before?[register.field] != register {
      let replaced = before?[register.field].map { writes(of: $0, in: after.key) } ?? []
      forgetting.replace(replaced, by: writes(of: register, in: after.key))
    }
  }
}
