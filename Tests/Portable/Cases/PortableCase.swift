// SPDX-License-Identifier: Apache-2.0
// What the portable core computes, as text, beside what it must be on every platform.

/// One computation of the portable core.
public struct PortableCase: Sendable {
  /// What is computed.
  public let name: String
  /// The result here, as text.
  public let found: String
  /// The result everywhere.
  public let expected: String

  init(_ name: String, _ found: String, _ expected: String) {
    self.name = name
    self.found = found
    self.expected = expected
  }

  /// All cases. Tests/Portable/Specifications runs them on Linux, Scripts/portable-core as
  /// WebAssembly.
  public static func all() -> [PortableCase] {
    merges() + laws() + texts() + localTimes() + trees() + calendars() + pictures() + messages()
      + syncs() + replicas()
  }
}

/// A deterministic pseudorandom sequence. Source: SplitMix64; Steele, Lea, Flood, 2014.
struct CaseRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number below `bound`. The standard library's generic one may differ between word sizes.
  mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }
}
