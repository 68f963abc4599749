// SPDX-License-Identifier: Apache-2.0
// TLS connection errors, with messages for the user.

import AtrestTrust

/// Why a TLS handshake or connection failed.
public enum TLSError: Error, Hashable, Sendable {
  /// The server is not believed to be the expected one.
  case distrusted(ServerDistrust)
  /// The peer does not speak HTTP/2 (ALPN `h2`).
  case noHTTP2
  /// The peer's first bytes are not TLS.
  case notTLS
  /// The sides share no TLS version or cipher suite.
  case nothingInCommon
  /// The connection ended during the handshake.
  case handshakeCut
  /// The handshake timed out.
  case handshakeTimeout
  /// The connection ended without close_notify: the last data may be missing.
  case truncated
  /// The peer sent this alert (RFC 8446, section 6).
  case refused(alert: UInt8)
  /// The peer violated the protocol, or data was modified in transit; with OpenSSL's reason.
  case broken(String)

  /// Why the server is not believed; nil if the error is about the connection.
  public var distrust: ServerDistrust? {
    if case .distrusted(let distrust) = self { distrust } else { nil }
  }

  /// What happened, then what to do, for the user who made the call.
  public var userMessage: String {
    switch self {
    case .distrusted(let distrust): distrust.userMessage
    case .noHTTP2:
      """
      The other side does not speak gRPC (HTTP/2) at this address. Check the address, and that a \
      proxy in between lets HTTP/2 through.
      """
    case .notTLS:
      "The other side does not use encryption (TLS) at this address. Check the address and the port."
    case .nothingInCommon:
      "The two sides have no TLS version or cipher in common. Update the older one."
    case .handshakeCut:
      "The connection was cut before it was encrypted. Check the address, then try again."
    case .handshakeTimeout:
      "Encrypting the connection took too long. Check the network, then try again."
    case .truncated:
      "The connection was cut in the middle. Try again."
    case .refused(let alert):
      "The other side refused the encrypted connection (TLS alert \(alert)). Update both sides."
    case .broken(let reason):
      """
      The encrypted connection broke (\(reason)). Try again; if it stays, something on the network \
      changes what is sent.
      """
    }
  }
}

extension TLSError: CustomStringConvertible {
  /// Equals `userMessage`.
  public var description: String { userMessage }
}
