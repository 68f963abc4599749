// SPDX-License-Identifier: Apache-2.0
// Decides who a server is: its private key, and the certificate that goes with it.

import CAtrestOpenSSL
import Glibc

/// A server's key and certificate chain, checked to belong together.
public struct ServerIdentity: Sendable {
  /// How long a certificate made here is valid. Pairing pins it, so nothing is gained by less.
  static let validityDays = 3_650

  let key: OpenSSLRef
  /// The server's own certificate first.
  let chain: [OpenSSLRef]
  /// Where it came from, for errors.
  let path: String

  /// The fingerprint of the server's own certificate: what pairing links carry.
  public let fingerprint: CertificateFingerprint
  /// Until when the certificate is valid, in seconds since 1970, UTC.
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

  /// Makes a key and a self-signed certificate that nobody has seen before. Some 0.1 ms.
  ///
  /// The certificate names `atrest`, `localhost` and the loopback addresses. Clients that pair do
  /// not look at names or dates: they know the fingerprint.
  /// - Parameter now: Seconds since 1970, UTC.
  public static func generate(now: Int = time(nil)) throws(TLSFileError) -> ServerIdentity {
    // A day earlier than now: a device whose clock is a little behind must not be turned away.
    let maker = CertificateMaker(
      validFrom: now - 86_400, validUntil: now + validityDays * 86_400)
    guard let key = CertificateMaker.makeKey(), let certificate = maker.make(for: key) else {
      throw .unusable(path: "a new key", reason: "there is no memory or no randomness")
    }
    return try ServerIdentity(
      key: key, chain: [certificate], keyPath: "a new key", path: "a new certificate")
  }

  /// The server's own certificate in PEM format, for clients that are told whom to trust by a file.
  public var certificatePEM: String {
    let text = chain.first.flatMap { PEM.encode(certificate: $0.pointer) } ?? []
    return String(decoding: text, as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return timegm(&parts)
  }

  /// Whether the certificate's dates include `now`, in seconds since 1970, UTC.
  func checkDates(now: Int) throws(TLSFileError) {
    guard let leaf = chain.first, let from = Self.seconds(X509_get0_notBefore(leaf.pointer)) else {
      throw .noCertificate(path: path)
    }
    if now > validUntil { throw .expired(path: path) }
    if now < from { throw .notYetValid(path: path) }
  }
}
