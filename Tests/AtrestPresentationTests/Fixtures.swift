// SPDX-License-Identifier: Apache-2.0
// Fasts and forests that the tests in this folder share.

import AtrestDomain
import AtrestTestSupport
import Foundation

/// A fast of some hours with a target of 16, which ended on the numbered day of 2026 and has a
/// random-looking ID.
func fast(_ number: Int, hours: Double = 16.25) -> Session {
  var random = SeededRandom(seed: UInt64(number + 1))
  return fast(id: random.id(), number, hours: hours)
}

func fast(id: UUID, _ number: Int, hours: Double = 16.25) -> Session {
  let end = Date(timeIntervalSince1970: 1_767_268_800 + Double(number) * 86_400)
  guard
    let span = Session.Span(
      start: end.addingTimeInterval(-hours * 3600), end: end, outcome: .completed)
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
  mutating func id() -> UUID {
    let bits = [next(), next()].flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) } }
    return UUID(
      uuid: (
        bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6], bits[7], bits[8], bits[9],
        bits[10], bits[11], bits[12], bits[13], bits[14], bits[15]
      ))
  }
}

func character(_ variant: Int, _ tone: Int) -> TreeCharacter {
  guard let character = TreeCharacter(variant: variant, tone: tone) else {
    preconditionFailure("no such tree")
  }
  return character
}
