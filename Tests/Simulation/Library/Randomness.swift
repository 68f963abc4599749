// SPDX-License-Identifier: Apache-2.0
// Seeded randomness for the code under test.

/// Randomness for the code under test.
final class Randomness: @unchecked Sendable {
  // Sendable: a simulation has one thread.
  private var chance: Chance
  /// The numbers drawn since it was emptied.
  var drawn: [UInt64] = []

  init(_ chance: Chance) { self.chance = chance }

  func number() -> UInt64 { chance.next() }
  /// A number that is noted as drawn, and not 0.
  func nonce() -> UInt64 {
    drawn.append(max(1, chance.next()))
    return drawn[drawn.count - 1]
  }
  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
  }
  func bits() -> UInt32 { UInt32(truncatingIfNeeded: chance.next() >> 32) }
}
