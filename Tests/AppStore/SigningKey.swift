// SPDX-License-Identifier: Apache-2.0
// Keys that sign, for tests.

import CAtrestOpenSSL

/// Owns one private key of OpenSSL and frees it once.
public final class SigningKey: @unchecked Sendable {
  // Sendable: OpenSSL's keys do not change, and lock what they remember.
  private let key: OpaquePointer

  /// What OpenSSL would not do.
  public struct Failure: Error {}

  /// Makes a key on a curve that has this name with OpenSSL.
  public init(curve: String) throws {
    guard let key = atrest_make_key(curve) else { throw Failure() }
    self.key = key
  }

  deinit {
    EVP_PKEY_free(key)
  }

  /// The public key as certificates carry it, DER.
  public var publicKeyInfo: [UInt8] {
    Self.encoded { i2d_PUBKEY(key, $0) }
  }

  /// The same with all parameters of the curve in place of its name.
  public func publicKeyInfoWithParameters() throws -> [UInt8] {
    guard let copy = EVP_PKEY_dup(key) else { throw Failure() }
    defer { EVP_PKEY_free(copy) }
    guard EVP_PKEY_set_utf8_string_param(copy, OSSL_PKEY_PARAM_EC_ENCODING, "explicit") == 1 else {
      throw Failure()
    }
    return Self.encoded { i2d_PUBKEY(copy, $0) }
  }

  /// The public key as a point in uncompressed form.
  public func point() throws -> [UInt8] {
    var count = 0
    var bytes = [UInt8](repeating: 0, count: 133)
    guard
      EVP_PKEY_get_octet_string_param(
        key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1
    else { throw Failure() }
    return Array(bytes.prefix(count))
  }

  /// Signs with ECDSA.
  ///
  /// - Parameter hash: The number of bits of SHA-2.
  /// - Returns: DER.
  public func sign(_ message: [UInt8], hash: Int) throws -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw Failure() }
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 256)
    var count = signature.count
    let function =
      switch hash {
      case 256: EVP_sha256()
      case 384: EVP_sha384()
      default: EVP_sha512()
      }
    guard EVP_DigestSignInit(context, nil, function, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { throw Failure() }
    return Array(signature.prefix(count))
  }

  /// Signs with ECDSA.
  ///
  /// - Parameter byteCount: The length of a coordinate of the curve.
  /// - Returns: Two numbers, each as long as a coordinate.
  public func signRaw(_ message: [UInt8], hash: Int, byteCount: Int) throws -> [UInt8] {
    let der = try sign(message, hash: hash)
    return try der.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      guard let signature = d2i_ECDSA_SIG(nil, &next, bytes.count) else { throw Failure() }
      defer { ECDSA_SIG_free(signature) }
      var raw = [UInt8](repeating: 0, count: 2 * byteCount)
      raw.withUnsafeMutableBufferPointer { raw in
        guard let start = raw.baseAddress else { return }
        BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, CInt(byteCount))
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + byteCount, CInt(byteCount))
      }
      return raw
    }
  }

  private static func encoded(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
  ) -> [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = encode(&start)
    guard let start, count > 0 else { return [] }
    defer { atrest_free(start) }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
