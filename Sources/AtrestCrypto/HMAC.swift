// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA256: a hash that only the holder of a key can compute.

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CAtrestOpenSSL
#endif

/// Source: RFC 2104, with SHA-256.
package enum HMAC {
  /// The code of `message` under `key`, in 32 bytes. A key may have any length.
  package static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      return Array(
        CryptoKit.HMAC<CryptoKit.SHA256>.authenticationCode(
          for: message, using: SymmetricKey(data: key)))
    #else
      var code = [UInt8](repeating: 0, count: SHA256.byteCount)
      let isComputed = atrest_hmac_sha256(key, key.count, message, message.count, &code)
      precondition(isComputed == 1, "OpenSSL computes no HMAC-SHA256: out of memory")
      return code
    #endif
  }
}
