// SPDX-License-Identifier: Apache-2.0
// The TLS settings of a server, and replacing its certificate under load.

import CAtrestOpenSSL
import Synchronization

/// The state that a server's handshakes share: identity and session ticket keys. Immutable.
///
/// OpenSSL draws the ticket keys with the context, so tickets are not valid across contexts. A
/// client with a ticket of another context makes a full handshake.
/// another: a client that comes with one makes a full handshake.
public final class ServerTLS: Sendable {
  let context: OpenSSLRef
  /// The server's certificate and key.
  public let identity: ServerIdentity

  /// - Parameter newest: The highest TLS version to accept.
  /// - Throws: `TLSFileError.unusable` if the key or the certificate is too weak.
  public init(_ identity: ServerIdentity, newest: TLSVersion = .tls13) throws(TLSFileError) {
    self.identity = identity
    guard let context = OpenSSLContext.make(isServer: true, newest: newest),
      let leaf = identity.chain.first
    else { throw .unusable(path: identity.path, reason: "there is no memory") }
    self.context = context
    let raw = context.pointer
    var isUsable =
      SSL_CTX_use_certificate(raw, leaf.pointer) == 1
      && SSL_CTX_use_PrivateKey(raw, identity.key.pointer) == 1
    for certificate in identity.chain.dropFirst() {
      isUsable = isUsable && atrest_add_chain_certificate(raw, certificate.pointer) == 1
    }
    // Checks that the library can use the key for handshakes, not just load it.
    isUsable = isUsable && SSL_CTX_check_private_key(raw) == 1
    guard isUsable else {
      let reason = TLSError.text(ERR_peek_error())
      ERR_clear_error()
      throw .unusable(path: identity.path, reason: reason)
    }
    // Stateless tickets: the client stores the session, so thousands of clients need no memory
    // here.
    atrest_set_session_cache(raw, CLong(SSL_SESS_CACHE_OFF))
    SSL_CTX_set_client_hello_cb(raw, requireALPN, nil)
    SSL_CTX_set_alpn_select_cb(raw, chooseHTTP2, nil)
  }
}

/// The server's current `ServerTLS`, replaceable while it serves. Thread-safe.
public final class TLSContextBox: Sendable {
  private let box: Mutex<ServerTLS>

  /// - Throws: See `ServerTLS.init`.
  public init(_ identity: ServerIdentity) throws(TLSFileError) {
    box = Mutex(try ServerTLS(identity))
  }

  /// The settings for new handshakes.
  public var current: ServerTLS { box.withLock { $0 } }

  /// Switches new handshakes to another identity. Existing connections keep theirs, even during a
  /// handshake.
  /// - Throws: See `ServerTLS.init`. The identity is unchanged then.
  public func replace(with identity: ServerIdentity) throws(TLSFileError) {
    let new = try ServerTLS(identity)
    box.withLock { $0 = new }
  }

  /// Switches new handshakes to new session ticket keys. So a leak of the server's memory exposes
  /// the resumed connections of the last hours, not all since its start. A client with an older
  /// ticket makes a full handshake.
  /// - Throws: See `ServerTLS.init`. The keys are unchanged then.
  public func renewTicketKeys() throws(TLSFileError) {
    try box.withLock { current throws(TLSFileError) in
      current = try ServerTLS(current.identity)
    }
  }
}

/// Rejects a client without ALPN: it is not a gRPC client, and OpenSSL would not call `chooseHTTP2`
/// for it.
private func requireALPN(
  _ session: OpaquePointer?, _ alert: UnsafeMutablePointer<CInt>?, _: UnsafeMutableRawPointer?
) -> CInt {
  var bytes: UnsafePointer<UInt8>?
  var count = 0
  let type = CUnsignedInt(TLSEXT_TYPE_application_layer_protocol_negotiation)
  guard SSL_client_hello_get0_ext(session, type, &bytes, &count) == 1 else {
    alert?.pointee = SSL_AD_NO_APPLICATION_PROTOCOL
    return SSL_CLIENT_HELLO_ERROR
  }
  return SSL_CLIENT_HELLO_SUCCESS
}

/// Selects `h2` or fails the handshake. List format: RFC 7301, section 3.1.
private func chooseHTTP2(
  _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ chosenCount: UnsafeMutablePointer<UInt8>?, _ list: UnsafePointer<UInt8>?, _ count: CUnsignedInt,
  _: UnsafeMutableRawPointer?
) -> CInt {
  let offers = UnsafeBufferPointer(start: list, count: Int(count))
  var index = 0
  while index < offers.count {
    let start = index + 1
    let end = start + Int(offers[index])
    guard end <= offers.count else { break }
    if UnsafeBufferPointer(rebasing: offers[start..<end]).elementsEqual("h2".utf8) {
      chosen?.pointee = offers.baseAddress.map { $0 + start }
      chosenCount?.pointee = 2
      return SSL_TLSEXT_ERR_OK
    }
    index = end
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
