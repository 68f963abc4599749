// SPDX-License-Identifier: Apache-2.0
// Fasts and forests that the tests in this folder share.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation

/// A fast of some hours with a target of 16, which ended on the numbered day of 2026 and has a
/// random-looking ID.
func fast(_ number: Int, hours: Double = 16.25) -> Session {
  var random = SeededRandom(seed: UInt64(number + 1))
  return fast(id: random.id(), number, hours: hours)
}

func fast(id: RecordUUID, _ number: Int, hours: Double = 16.25) -> Session {
  let end = WallTime(seconds: 1_767_268_800 + Double(number) * 86_400)
  guard
    let span = Session.Span(
      start: end.advanced(bySeconds: -hours * 3600), end: end, outcome: .completed)
  else { preconditionFailure("not a span") }
  return Session(id: id, span: span, targetMinutes: 960)
}

/// The trees of this many fasts. Every fifth ended early.
func trees(_ count: Int) -> [Tree] {
  TreeMapper.trees(for: (0..<count).map { fast($0, hours: $0 % 5 == 4 ? 12.5 : 16.25) })
}

let phone = ForestCanvas(width: 390, screenHeight: 844)
let wide = ForestCanvas(width: 1440, screenHeight: 900)

extension SeededRandom {
  mutating func id() -> RecordUUID {
    let bits = [next(), next()].flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) } }
    guard let id = RecordUUID(bytes: bits) else { preconditionFailure("sixteen bytes") }
    return id
  }
}

func character(_ variant: Int, _ tone: Int) -> TreeCharacter {
  guard let character = TreeCharacter(variant: variant, tone: tone) else {
    preconditionFailure("no such tree")
  }
  return character
}
