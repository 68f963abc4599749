// SPDX-License-Identifier: Apache-2.0
// Natural irregularity that is the same on every device.

/// Deterministic pseudorandom numbers for pictures: a sequence that depends on its seed alone.
public struct Grain {
  private var seed: UInt64

  /// The sequence of a seed, such as the bytes of an id.
  public init(_ seed: UInt64) {
    self.seed = seed
  }

  /// The next number, in 0..<1.
  public mutating func next() -> Double {
    seed &+= 1
    return Self.part(of: seed)
  }

  /// The number of one seed, in 0..<1.
  ///
  /// Source: the finaliser of SplitMix64; Steele, Lea, Flood, 2014.
  public static func part(of seed: UInt64) -> Double {
    var z = seed &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }
}
