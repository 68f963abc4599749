// SPDX-License-Identifier: Apache-2.0
// Test support: what OpenSSL reads in a certificate.

import CAtrestOpenSSL
import Glibc

/// Owns one `X509` and frees it once.
final class OpenSSLCertificate {
  private let certificate: OpaquePointer

  /// Nil unless OpenSSL takes all of the bytes for one certificate.
  init?(_ der: [UInt8]) {
    let certificate = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var next = bytes.baseAddress
      guard let certificate = d2i_X509(nil, &next, bytes.count) else { return nil }
      guard next == bytes.baseAddress.map({ $0 + bytes.count }) else {
        X509_free(certificate)
        return nil
      }
      return certificate
    }
    ERR_clear_error()
    guard let certificate else { return nil }
    self.certificate = certificate
  }

  deinit {
    X509_free(certificate)
  }

  var version: Int { X509_get_version(certificate) + 1 }
  var notBefore: Int64? { Self.milliseconds(X509_get0_notBefore(certificate)) }
  var notAfter: Int64? { Self.milliseconds(X509_get0_notAfter(certificate)) }
  var hasKey: Bool { X509_get0_pubkey(certificate) != nil }
  var isCritical: [Bool] {
    (0..<X509_get_ext_count(certificate)).map {
      X509_EXTENSION_get_critical(X509_get_ext(certificate, $0)) == 1
    }
  }

  /// Whether it is an authority, and its path length.
  var basicConstraints: (isAuthority: Bool, pathLength: Int?)? {
    guard let value = X509_get_ext_d2i(certificate, NID_basic_constraints, nil, nil) else {
      return nil
    }
    let constraints = value.assumingMemoryBound(to: BASIC_CONSTRAINTS.self)
    defer { BASIC_CONSTRAINTS_free(constraints) }
    return (
      constraints.pointee.ca != 0, constraints.pointee.pathlen.map { ASN1_INTEGER_get($0) }
    )
  }

  /// Whether the key signs data, and whether certificates.
  var keyUsage: (signsData: Bool, signsCertificates: Bool)? {
    guard let value = X509_get_ext_d2i(certificate, NID_key_usage, nil, nil) else { return nil }
    let bits = value.assumingMemoryBound(to: ASN1_BIT_STRING.self)
    defer { ASN1_BIT_STRING_free(bits) }
    return (ASN1_BIT_STRING_get_bit(bits, 0) == 1, ASN1_BIT_STRING_get_bit(bits, 5) == 1)
  }

  func isSigned(by issuer: OpenSSLCertificate) -> Bool {
    defer { ERR_clear_error() }
    return X509_NAME_cmp(
      X509_get_issuer_name(certificate), X509_get_subject_name(issuer.certificate)) == 0
      && X509_verify(certificate, X509_get0_pubkey(issuer.certificate)) == 1
  }

  private static func milliseconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Int64(timegm(&parts)) * 1000
  }
}
