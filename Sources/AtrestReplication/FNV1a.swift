// SPDX-License-Identifier: Apache-2.0
// A hash that every process and device computes alike. Not cryptographic: collisions are easy to
// construct.

/// 64-bit FNV-1a.
///
/// Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
package struct FNV1a: Sendable {
  /// The hash of what was added so far.
  @inlinable package var value: UInt64 { state }
  @usableFromInline var state: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Of nothing.
  @inlinable package init() {}

  /// One multiplication for each byte.
  @inlinable package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }

  /// An integer's bytes, the most significant first.
  @inlinable package mutating func add(bigEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { add($0) }
  }

  /// The hash of some bytes alone.
  @inlinable package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash = FNV1a()
    hash.add(bytes)
    return hash.value
  }
}
