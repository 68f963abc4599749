// SPDX-License-Identifier: Apache-2.0
// The edits that a person may make to a fast.

import AtrestReplication

extension Session {
  /// A copy of the fast with some parts changed.
  ///
  /// - Parameters:
  ///   - end: Ends an open fast, as completed unless `outcome` says otherwise.
  ///   - outcome: `.active` removes the end, so that a fast ended by mistake continues.
  ///   - now: No time may lie after it.
  /// - Throws: `InputProblem` for an invalid combination.
  public func edited(
    start: WallTime? = nil, end: WallTime? = nil, outcome: Outcome? = nil,
    targetMinutes: Int? = nil,
    now: WallTime
  ) throws(InputProblem) -> Session {
    if let targetMinutes { try TypedRules.check(targetMinutes: targetMinutes) }
    let newStart = start ?? span.start
    let newOutcome = outcome ?? (end != nil && span.outcome == .active ? .completed : span.outcome)
    let newEnd = newOutcome == .active ? nil : end ?? span.end
    if newOutcome == .active, end != nil { throw .openWithEnd }
    if newOutcome != .active, newEnd == nil { throw .endMissing }
    // A fast by another program may break the rules already. Its target can still be edited.
    if start != nil || end != nil || outcome != nil {
      try TypedRules.check(start: newStart, end: newEnd, now: now)
    }
    guard let span = Span(start: newStart, end: newEnd, outcome: newOutcome) else {
      throw .endBeforeStart
    }
    return Session(id: id, span: span, targetMinutes: targetMinutes ?? self.targetMinutes)
  }
}
