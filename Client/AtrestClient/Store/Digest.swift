// SPDX-License-Identifier: Apache-2.0
// A short fingerprint of a replica's contents.

import AtrestReplication

/// ``FNV1a`` over a sequence of byte strings, each prefixed with its length.
struct Digest {
  private var hash = FNV1a()

  mutating func add(_ bytes: [UInt8]) {
    hash.add(bigEndian: UInt64(bytes.count))
    hash.add(bytes)
  }

  /// 16 hexadecimal digits.
  var text: String { Hexadecimal.encoded(hash.value) }
}
