// SPDX-License-Identifier: Apache-2.0
// The hash that selects a fast's tree, stable across devices, processes and versions.

import AtrestReplication

/// Hashes ids. Swift's `hashValue` is seeded per process, so trees derived from it would change at
/// every launch and differ between devices.
public enum StableHash {
  /// The hash of an id's 16 bytes in textual order.
  public static func hash(of id: RecordUUID) -> UInt64 {
    FNV1a.hash(id.bytes)
  }
}

/// A deterministic pseudorandom sequence for positions.
///
/// Source: SplitMix64; Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
struct SeededStream {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// The next number in 0..<1, in steps of 2^-53.
  mutating func unit() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }
}
