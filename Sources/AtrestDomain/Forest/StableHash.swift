// SPDX-License-Identifier: Apache-2.0
// The hash that gives a fast its tree: the same on every device, in every process, for ever.

import AtrestReplication
import Foundation

/// Hashes ids. Swift's own `hashValue` is seeded anew in every process, so trees made from it would
/// change at every launch and differ between devices.
public enum StableHash {
  /// The hash of an id's 16 bytes, in the order in which they are written.
  public static func hash(of id: UUID) -> UInt64 {
    withUnsafeBytes(of: id.uuid) { FNV1a.hash($0) }
  }
}

/// Numbers that follow from a hash, for positions: always the same ones, in the same order.
///
/// Source: SplitMix64; Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
struct SeededStream {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// The next number, from 0 up to but not including 1, in steps of 2^-53.
  mutating func unit() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }
}
