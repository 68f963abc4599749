// SPDX-License-Identifier: Apache-2.0
// Reads a time zone's offsets from Foundation's database.

import AtrestDomain
import Foundation

extension ZoneOffsets {
  /// The offsets of a time zone from 1970 to 2300: far more than a person records. The first and
  /// the last one hold beyond.
  ///
  /// - Complexity: O(transitions): less than a millisecond.
  public init(_ zone: TimeZone) {
    var date = Date(timeIntervalSince1970: 0)
    let end = Date(timeIntervalSince1970: 10_413_792_000)
    let first = zone.secondsFromGMT(for: date)
    var transitions: [Transition] = []
    // Despite its name it finds every change of the offset, those of standard time too; and changes
    // of the name alone, which are left out.
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next < end {
      let offset = zone.secondsFromGMT(for: next)
      if offset != transitions.last?.offset ?? first {
        transitions.append(
          Transition(second: Int64(next.timeIntervalSince1970.rounded(.up)), offset: offset))
      }
      date = next
    }
    guard let offsets = ZoneOffsets(first: first, transitions: transitions) else {
      preconditionFailure("Foundation's offsets are within 18 hours, and its transitions ascend")
    }
    self = offsets
  }
}
