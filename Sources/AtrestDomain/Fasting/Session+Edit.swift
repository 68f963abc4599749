// SPDX-License-Identifier: Apache-2.0
// What a person may change about a fast afterwards.

import Foundation

extension Session {
  /// The fast with some parts changed, the rest as they are.
  ///
  /// - Parameters:
  ///   - end: Ends a fast that is still open: as completed, unless `outcome` says otherwise.
  ///   - outcome: `.active` takes the end away, so that a fast that was ended by mistake goes on.
  ///   - now: Nothing may lie after it.
  /// - Throws: `InputProblem` for what cannot be meant; the session is then unchanged.
  public func edited(
    start: Date? = nil, end: Date? = nil, outcome: Outcome? = nil, targetMinutes: Int? = nil,
    now: Date
  ) throws(InputProblem) -> Session {
    if let targetMinutes { try TypedRules.check(targetMinutes: targetMinutes) }
    let newStart = start ?? span.start
    let newOutcome = outcome ?? (end != nil && span.outcome == .active ? .completed : span.outcome)
    let newEnd = newOutcome == .active ? nil : end ?? span.end
    if newOutcome == .active, end != nil { throw .openWithEnd }
    if newOutcome != .active, newEnd == nil { throw .endMissing }
    // A fast that breaks the rules already, because another program wrote it, may still get another
    // target.
    if start != nil || end != nil || outcome != nil {
      try TypedRules.check(start: newStart, end: newEnd, now: now)
    }
    guard let span = Span(start: newStart, end: newEnd, outcome: newOutcome) else {
      throw .endBeforeStart
    }
    return Session(id: id, span: span, targetMinutes: targetMinutes ?? self.targetMinutes)
  }
}
