// SPDX-License-Identifier: Apache-2.0
// A server's private key and its certificate chain.

import AtrestTrust
import CAtrestOpenSSL
import Glibc

/// A server's key and certificate chain, verified to match.
public struct ServerIdentity: Sendable {
  /// Validity of generated certificates, in days. Pairing pins them, so a shorter one gains
  /// nothing.
  static let validityDays = 3_650

  let key: OpenSSLRef
  /// The server's own certificate comes first.
  let chain: [OpenSSLRef]
  /// The file it was loaded from, for errors.
  let path: String

  /// The fingerprint of the server's own certificate, as carried in pairing links.
  public let fingerprint: CertificateFingerprint
  /// The end of the certificate's validity, in seconds since 1970, UTC.
  public let validUntil: Int

  init(
    key: OpenSSLRef, chain: [OpenSSLRef], keyPath: String, path: String
  ) throws(TLSFileError) {
    guard let leaf = chain.first, let fingerprint = CertificateFingerprint(of: leaf.pointer),
      let validUntil = Self.seconds(X509_get0_notAfter(leaf.pointer))
    else { throw .noCertificate(path: path) }
    let matches = X509_check_private_key(leaf.pointer, key.pointer) == 1
    ERR_clear_error()
    guard matches else { throw .keyMismatch(key: keyPath, certificate: path) }
    self.key = key
    self.chain = chain
    self.path = path
    self.fingerprint = fingerprint
    self.validUntil = validUntil
  }

  /// Generates a key and a self-signed certificate. Takes about 0.1 ms.
  ///
  /// The certificate names `atrest`, `localhost` and the loopback addresses. Paired clients check
  /// only the fingerprint, not names or dates; others that pin the certificate may want their name.
  /// - Parameters:
  ///   - hosts: Further names and addresses. What is neither is left out.
  ///   - now: Seconds since 1970, UTC.
  /// - Throws: `TLSFileError` if memory or randomness is exhausted.
  public static func generate(
    for hosts: [String] = [], now: Int = time(nil)
  ) throws(TLSFileError) -> ServerIdentity {
    // Valid from a day ago: a device whose clock is slightly behind must not be refused.
    var maker = CertificateMaker(
      validFrom: now - 86_400, validUntil: now + validityDays * 86_400)
    for name in hosts.compactMap(CertificateMaker.alternativeName)
    where !maker.names.contains(name) {
      maker.names.append(name)
    }
    guard let key = CertificateMaker.makeKey(), let certificate = maker.make(for: key) else {
      throw .unusable(path: "a new key", reason: "there is no memory or no randomness")
    }
    return try ServerIdentity(
      key: key, chain: [certificate], keyPath: "a new key", path: "a new certificate")
  }

  /// The server's own certificate in PEM format, for clients that take a CA file.
  public var certificatePEM: String {
    let text = chain.first.flatMap { PEM.encode(certificate: $0.pointer) } ?? []
    return String(decoding: text, as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return timegm(&parts)
  }

  /// Throws unless `now`, in seconds since 1970, UTC, is within the certificate's validity.
  func checkDates(now: Int) throws(TLSFileError) {
    guard let leaf = chain.first, let from = Self.seconds(X509_get0_notBefore(leaf.pointer)) else {
      throw .noCertificate(path: path)
    }
    if now > validUntil { throw .expired(path: path) }
    if now < from { throw .notYetValid(path: path) }
  }
}
