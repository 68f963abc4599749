// SPDX-License-Identifier: Apache-2.0
// The source of every random decision in a simulation.

/// SplitMix64: small, fast, and deterministic on every platform.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Equal seeds give equal sequences.
  package init(_ seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number in the range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A number in the range, with small ones more likely: each order of magnitude has the same
  /// probability.
  mutating func pickSkewed(_ range: ClosedRange<Int>) -> Int {
    let span = UInt64(range.upperBound - range.lowerBound + 1)
    let bits = pick(0...max(0, UInt64.bitWidth - span.leadingZeroBitCount))
    return range.lowerBound + Int((next() & ((1 << UInt64(bits)) - 1)) % span)
  }

  /// True with probability 1/n.
  mutating func oneIn(_ n: Int) -> Bool { pick(1...n) == 1 }

  /// A random element. Nil if there is none.
  mutating func choose<T>(_ items: [T]) -> T? { items.randomElement(using: &self) }
}
