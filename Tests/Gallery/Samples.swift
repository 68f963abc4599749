// SPDX-License-Identifier: Apache-2.0
// The fasts in the gallery: invented and deterministic.

import AtrestDomain
import Foundation

enum Samples {
  /// The gallery's current time: 20 May 2026, noon UTC.
  static let now = Date(timeIntervalSince1970: 1_779_278_400)

  /// This many fasts of 16 hours, the newest a day before `now`. Some ended early.
  static func sessions(_ count: Int) -> [Session] {
    var state: UInt64 = 0x6174_7265_7374
    func next() -> UInt64 {
      // Source: SplitMix64; Steele, Lea, Flood, 2014.
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
    return (0..<max(0, count)).compactMap { index in
      let bits = [next(), next()].flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) } }
      let id = UUID(
        uuid: (
          bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6] & 0x0f | 0x40, bits[7],
          bits[8] & 0x3f | 0x80, bits[9], bits[10], bits[11], bits[12], bits[13], bits[14], bits[15]
        ))
      let days = Double(count - index) * 1.5 - 0.5
      let end = now.addingTimeInterval(-days * 86_400)
      let hours = index % 9 == 5 ? 12.5 : 16.25
      return Session.Span(
        start: end.addingTimeInterval(-hours * 3600), end: end, outcome: .completed
      ).map { Session(id: id, span: $0, targetMinutes: 960) }
    }
  }

  static func trees(_ count: Int) -> [Tree] { TreeMapper.trees(for: sessions(count)) }

  static let month = MonthGrid(
    month: LocalMonth(now, in: .gmt),
    entries: CalendarPolicy.entries(of: sessions(200), for: .premium), now: now, in: .gmt,
    firstWeekday: .monday)

  /// The tree whose growth the gallery shows.
  static let character = TreeCharacter(variant: 0, tone: 1) ?? TreeCharacter(id: UUID())
}
