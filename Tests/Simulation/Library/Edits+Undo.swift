// SPDX-License-Identifier: Apache-2.0
// A person takes an action back, and the record is what it was before.

import AtrestClient
import AtrestReplication
import AtrestSync

extension Edit {
  /// Takes the device's latest action back.
  mutating func undo(_ oracle: inout Oracle) throws {
    var undone: UndoneAction?
    let keys = oracle.keys
    let before = Dictionary(
      try keys.compactMap { try transaction.record($0) }.map { ($0.key, $0) }
    ) { first, _ in first }
    try noting(keys, isAction: false, oracle: &oracle) { transaction in
      do { undone = try transaction.undo() } catch ReplicaError.Code.invalid {
        throw UndoFailed(key: nil, why: "it is refused")
      }
    }
    for change in undone?.changes ?? [] {
      let key = change.after.key
      if let fault = change.fault(from: before[key], to: try transaction.record(key)) {
        throw UndoFailed(key: key, why: fault)
      }
    }
  }
}

extension UndoneAction.Change {
  /// What the undo of an action on a record did wrong. Nil if nothing.
  fileprivate func fault(from held: Record?, to now: Record?) -> String? {
    guard let held, let now else { return "it wrote no record" }
    if held == after, restored.isEmpty, !anotherGoesOn { return "it was not written since" }
    // What has another value was written since, here or elsewhere. The same value may be its own
    // under another stamp.
    let since = Set(
      held.registers.filter {
        $0.field != Register.pruneFloorField && $0.value != after[$0.field]?.value
      }
      .map(\.field))
    if restored.isEmpty { return held == now ? nil : "it says that it changed nothing" }
    if let field = since.first(where: { now[$0] != held[$0] && $0 != Register.deletedField }) {
      return "field \(field), which was written since, is another"
    }
    guard let before, !before.isDeleted else {
      return since.isEmpty && now.isDeleted ? nil : "what was added is there, or was written since"
    }
    if now.isDeleted { return "the record is deleted" }
    let own = [Register.deletedField, Register.pruneFloorField]
    let wrong = before.registers.map(\.field).filter { !own.contains($0) }.first { field in
      let isWritten = after[field] != before[field]
      let isHeld = held[field] == after[field] || (after.isDeleted && held[field] == nil)
      return isWritten || after.isDeleted
        ? isHeld && !anotherGoesOn && now[field]?.value != before[field]?.value
        : now[field] != held[field]
    }
    return wrong.map { "field \($0) is not what it was" }
  }
}

private struct UndoFailed: Error, CustomStringConvertible {
  let key: RecordKey?
  let why: String
  var description: String { "the undo of an action on kind \(key?.kind.rawValue ?? 0): \(why)" }
}
