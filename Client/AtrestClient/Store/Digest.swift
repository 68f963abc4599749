// SPDX-License-Identifier: Apache-2.0
// A short fingerprint of what a replica holds.

/// FNV-1a over a sequence of byte strings, each with its length before it.
///
/// Source: Fowler, Noll and Vo; 64-bit parameters as in draft-eastlake-fnv.
struct Digest {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { count in
      for byte in count { mix(byte) }
    }
    for byte in bytes { mix(byte) }
  }

  private mutating func mix(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  /// 16 hexadecimal digits.
  var text: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
