// SPDX-License-Identifier: Apache-2.0
// Creates files in the native format with arbitrary lines and a valid seal.

import AtrestCrypto
import Foundation

/// Creates files by hand.
public enum Sealed {
  /// A file with these lines between a header and a seal.
  public static func file(_ lines: [String]) -> [UInt8] {
    let header = #"{"format":"atrest-sync","version":1,"made_at":"2025-11-21T00:00:00Z"}"#
    let body = ([header] + lines).map { $0 + "\n" }.joined()
    let digest = SHA256.hash(Array(body.utf8))
      .map { String(format: "%02x", Int($0)) }.joined()
    return Array((body + #"{"count":\#(lines.count),"sha256":"\#(digest)"}"# + "\n").utf8)
  }
}
