// SPDX-License-Identifier: Apache-2.0
// The TLS versions, ciphers and options of both sides.

import CAtrestOpenSSL

/// A TLS version.
public enum TLSVersion: Sendable {
  /// TLS 1.2, RFC 5246.
  case tls12
  /// TLS 1.3, RFC 8446.
  case tls13

  var code: CInt {
    switch self {
    case .tls12: TLS1_2_VERSION
    case .tls13: TLS1_3_VERSION
    }
  }
}

enum OpenSSLContext {
  /// Forward secrecy and AEAD: the TLS 1.2 ciphers that RFC 9113, section 9.2.2, allows.
  private static let ciphers12 = "ECDHE+AESGCM:ECDHE+CHACHA20"
  private static let ciphers13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let groups = "X25519:P-256:P-384"

  /// OpenSSL frees what it shares when the process exits, unless it is told not to: another thread
  /// may still use a connection then.
  private static let isInitialized =
    OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

  /// Creates an `SSL_CTX` for one side; nil only if out of memory.
  /// - Parameter newest: The highest version; the lowest is always 1.2.
  static func make(isServer: Bool, newest: TLSVersion) -> OpenSSLRef? {
    guard isInitialized else { return nil }
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard
      let context = OpenSSLRef.context(
        SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method())),
      atrest_set_versions(context.pointer, TLS1_2_VERSION, newest.code) == 1,
      SSL_CTX_set_cipher_list(context.pointer, ciphers12) == 1,
      SSL_CTX_set_ciphersuites(context.pointer, ciphers13) == 1,
      atrest_set_groups(context.pointer, groups) == 1,
      SSL_CTX_set_max_early_data(context.pointer, 0) == 1
    else { return nil }
    // 112 bits: no RSA below 2048, no SHA-1. The system's configuration may require more.
    SSL_CTX_set_security_level(context.pointer, max(2, SSL_CTX_get_security_level(context.pointer)))
    atrest_set_habits(context.pointer)
    return context
  }
}
