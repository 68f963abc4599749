// SPDX-License-Identifier: Apache-2.0
// Creates keys and certificates.

import CAtrestOpenSSL

/// The contents and issuer of a new certificate.
struct CertificateMaker {
  /// The issuer's certificate and key; nil for a self-signed certificate.
  var issuer: (certificate: OpenSSLRef, key: OpenSSLRef)?
  var commonName = "atrest"
  /// Subject alternative names in OpenSSL's notation: `DNS:localhost`, `IP:::1`.
  var names = ["DNS:atrest", "DNS:localhost", "IP:127.0.0.1", "IP:::1"]
  /// Whether it is a CA certificate.
  var isAuthority = false
  /// Seconds since 1970, UTC.
  var validFrom: Int
  /// Seconds since 1970, UTC.
  var validUntil: Int

  /// A host as a subject alternative name: `DNS:example.org`, `IP:192.0.2.1`. Nil for anything that
  /// is neither a name nor an address: OpenSSL's notation has commas and more.
  static func alternativeName(_ host: String) -> String? {
    if ClientTLS.isAddress(host) { return "IP:" + host }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isName =
      host.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
              || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
          }
      }
    return isName ? "DNS:" + host : nil
  }

  /// Creates a P-256 key; nil only without memory or randomness.
  static func makeKey() -> OpenSSLRef? {
    OpenSSLRef.key(atrest_make_key("P-256"))
  }

  /// Creates a certificate for `key`; nil only without memory or randomness.
  func make(for key: OpenSSLRef) -> OpenSSLRef? {
    defer { ERR_clear_error() }
    guard let certificate = OpenSSLRef.certificate(X509_new()) else { return nil }
    let raw = certificate.pointer
    guard X509_set_version(raw, 2) == 1,  // Zero-based: 2 means version 3.
      setSerial(raw), setValidity(raw), setNames(raw), X509_set_pubkey(raw, key.pointer) == 1,
      addExtensions(raw), X509_sign(raw, (issuer?.key ?? key).pointer, EVP_sha256()) > 0
    else { return nil }
    return certificate
  }

  /// Sets a serial number of 127 random bits: positive and unique.
  private func setSerial(_ certificate: OpaquePointer) -> Bool {
    guard let number = BN_new() else { return false }
    defer { BN_free(number) }
    return BN_rand(number, 127, 0, 0) == 1
      && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
  }

  private func setValidity(_ certificate: OpaquePointer) -> Bool {
    ASN1_TIME_set(X509_getm_notBefore(certificate), validFrom) != nil
      && ASN1_TIME_set(X509_getm_notAfter(certificate), validUntil) != nil
  }

  private func setNames(_ certificate: OpaquePointer) -> Bool {
    guard let subject = X509_get_subject_name(certificate) else { return false }
    let text = Array(commonName.utf8)
    guard
      X509_NAME_add_entry_by_txt(
        subject, "CN", MBSTRING_UTF8, text, CInt(clamping: text.count), -1, 0) == 1
    else { return false }
    return X509_set_issuer_name(
      certificate, issuer.map { X509_get_subject_name($0.certificate.pointer) } ?? subject) == 1
  }

  private func addExtensions(_ certificate: OpaquePointer) -> Bool {
    var extensions = [
      (NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
      (NID_key_usage, isAuthority ? "critical,keyCertSign" : "critical,digitalSignature"),
    ]
    if !isAuthority {
      extensions.append((NID_ext_key_usage, "serverAuth"))
      extensions.append((NID_subject_alt_name, names.joined(separator: ",")))
    }
    return extensions.allSatisfy { identifier, value in
      guard let made = X509V3_EXT_conf_nid(nil, nil, identifier, value) else { return false }
      defer { X509_EXTENSION_free(made) }
      return X509_add_ext(certificate, made, -1) == 1
    }
  }
}
