// SPDX-License-Identifier: Apache-2.0
// Verifies with OpenSSL.

#if !canImport(CryptoKit)
  import CAtrestOpenSSL

  /// Owns one `EVP_PKEY` and frees it once.
  final class PlatformKey: @unchecked Sendable {
    // Sendable: OpenSSL's keys do not change, and lock what they remember.
    private let key: OpaquePointer

    /// Creates a key; nil unless the point is on the curve.
    init?(_ curve: EllipticCurve, point: [UInt8]) {
      let name =
        switch curve {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        }
      guard let key = atrest_make_public_key(name, point, point.count) else {
        ERR_clear_error()
        return nil
      }
      self.key = key
    }

    deinit {
      EVP_PKEY_free(key)
    }

    /// Whether the key made this signature.
    func isValid(_ signature: [UInt8], of message: [UInt8], hash: SignatureHash) -> Bool {
      // A signature that does not fit leaves errors in the thread's queue, where the next call of
      // TLS would find them.
      defer { ERR_clear_error() }
      guard let context = EVP_MD_CTX_new() else { return false }
      defer { EVP_MD_CTX_free(context) }
      let function =
        switch hash {
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
      // Less than zero is an error, as for a signature that is none.
      return EVP_DigestVerifyInit(context, nil, function, nil, key) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
  }
#endif
