// SPDX-License-Identifier: Apache-2.0
// Maps OpenSSL error codes to `TLSError`.

import AtrestTrust
import CAtrestOpenSSL

extension TLSError {
  /// Maps the error of a failed call on `session`. Call it at once, on the same thread: OpenSSL
  /// queues errors per thread.
  ///
  /// - Parameters:
  ///   - name: The name that the server had to prove.
  ///   - isHandshaking: Whether the handshake was incomplete: the alert "handshake failure" also
  ///     ends established connections.
  init(of session: OpaquePointer, name: String? = nil, isHandshaking: Bool) {
    let code = ERR_peek_error()
    ERR_clear_error()
    guard ERR_GET_LIB(code) == ERR_LIB_SSL else {
      self = .broken(Self.text(code))
      return
    }
    let reason = ERR_GET_REASON(code)
    switch reason {
    case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255) where !isHandshaking:
      self = .refused(alert: UInt8(clamping: reason - SSL_AD_REASON_OFFSET))
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      self = .distrusted(Self.verification(SSL_get_verify_result(session), name: name))
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_NO_SHARED_CIPHER,
      SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_WRONG_SSL_VERSION, SSL_R_NO_SUITABLE_KEY_SHARE,
      SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE,
      SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY:
      self = .nothingInCommon
    case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL,
      SSL_R_CALLBACK_FAILED:
      // The only callback that can fail is the ALPN check.
      self = .noHTTP2
    case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255):
      self = .refused(alert: UInt8(clamping: reason - SSL_AD_REASON_OFFSET))
    default:
      self = .broken(Self.text(code))
    }
  }

  private static func verification(_ result: CLong, name: String?) -> ServerDistrust {
    switch CInt(clamping: result) {
    case X509_V_ERR_APPLICATION_VERIFICATION: .pinMismatch
    case X509_V_ERR_CERT_HAS_EXPIRED: .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName(name ?? "")
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      .unknownIssuer
    default: .untrusted(X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "")
    }
  }

  /// OpenSSL's error text: library constants, never bytes of a peer.
  static func text(_ code: CUnsignedLong) -> String {
    ERR_reason_error_string(code).map { String(cString: $0) } ?? "unexpected end"
  }
}
