// SPDX-License-Identifier: Apache-2.0
// The fasts in the gallery: invented and deterministic.

import AtrestDomain
import AtrestReplication

enum Samples {
  /// The gallery's current time: 20 May 2026, noon UTC.
  static let now = WallTime(milliseconds: 1_779_278_400_000)

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
      var bytes = bits
      bytes[6] = bytes[6] & 0x0f | 0x40
      bytes[8] = bytes[8] & 0x3f | 0x80
      guard let id = RecordUUID(bytes: bytes) else { return nil }
      let days = Double(count - index) * 1.5 - 0.5
      let end = now.advanced(by: -Int64(days * 86_400_000))
      let hours = index % 9 == 5 ? 12.5 : 16.25
      return Session.Span(
        start: end.advanced(by: -Int64(hours * 3_600_000)), end: end, outcome: .completed
      ).map { Session(id: id, span: $0, targetMinutes: 960) }
    }
  }

  static func trees(_ count: Int) -> [Tree] { TreeMapper.trees(for: sessions(count)) }

  static let month = MonthGrid(
    month: LocalMonth(now, in: .utc),
    entries: CalendarPolicy.entries(of: sessions(200), for: .premium), now: now, in: .utc,
    firstWeekday: .monday)

  /// The tree whose growth the gallery shows.
  static let character = TreeCharacter(variant: 0, tone: 1) ?? trees(1)[0].character
}
