// SPDX-License-Identifier: Apache-2.0
// The edits that a person may make to a fast.

import AtrestReplication

extension Session {
  /// A copy of the fast with some parts changed.
  ///
  /// What is given is checked, and what follows from it: the order of start and end, and the
  /// length. The other parts are not: another program may have written them, or this device's clock
  /// may be behind that of the device that did.
  /// - Parameters:
  ///   - end: Ends an open fast, as completed unless `outcome` says otherwise.
  ///   - outcome: `.active` removes the end, so that a fast ended by mistake continues.
  ///   - now: No given time may lie after it.
  /// - Throws: `InputProblem` for an invalid combination.
  public func edited(
    start: WallTime? = nil, end: WallTime? = nil, outcome: Outcome? = nil,
    targetMinutes: Int? = nil,
    now: WallTime
  ) throws(InputProblem) -> Session {
    if let targetMinutes { try TypedRules.check(targetMinutes: targetMinutes) }
    if let start { try TypedRules.check(time: start, now: now) }
    if let end { try TypedRules.check(time: end, now: now) }
    let newStart = start ?? span.start
    let newOutcome = outcome ?? (end != nil && span.outcome == .active ? .completed : span.outcome)
    let newEnd = newOutcome == .active ? nil : end ?? span.end
    if newOutcome == .active, end != nil { throw .openWithEnd }
    if newOutcome != .active, newEnd == nil { throw .endMissing }
    guard let span = Span(start: newStart, end: newEnd, outcome: newOutcome) else {
      throw .endBeforeStart
    }
    // One that is let go counts nowhere, however long it was.
    let isLengthGiven = start != nil || end != nil || (outcome != nil && outcome != .abandoned)
    if isLengthGiven { try TypedRules.check(from: newStart, to: newEnd ?? now) }
    return Session(id: id, span: span, targetMinutes: targetMinutes ?? self.targetMinutes)
  }
}
