// SPDX-License-Identifier: Apache-2.0
// What two sides compare instead of records: a hash of each, and the sum of hashes over a range of
// keys.

import Crypto

/// The records of a range, in sixteen bytes. Sums of two ranges that lie side by side add up to
/// that of both.
///
/// For finding differences between two honest sides, not for proving anything to a dishonest one:
/// sums of hashes can be forged by whoever writes all the records.
public struct Fingerprint: Hashable, Sendable {
  /// Records in the range.
  public var count: UInt64
  /// The sum of their hashes, modulo 2^64.
  public var sum: UInt64

  /// A fingerprint; of nothing, by default.
  public init(count: UInt64 = 0, sum: UInt64 = 0) {
    self.count = count
    self.sum = sum
  }

  /// Adds a record.
  public mutating func add(_ hash: UInt64) {
    count &+= 1
    sum &+= hash
  }

  /// Adds what another range holds.
  public mutating func add(_ other: Fingerprint) {
    count &+= other.count
    sum &+= other.sum
  }

  /// The hash of one record: the first eight bytes, little-endian, of the SHA-256 of its canonical
  /// encoding. About 0.5 us.
  public static func hash(ofRecord encoded: [UInt8]) -> UInt64 {
    SHA256.hash(data: encoded).withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))
    }
  }
}
