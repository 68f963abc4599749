// SPDX-License-Identifier: Apache-2.0
// The server's TLS configuration, replaceable while it serves.

import CAtrestOpenSSL
import Synchronization

/// Shared by a server's handshakes: its identity and session ticket keys. Immutable.
///
/// OpenSSL generates the ticket keys with the context, so another context cannot decrypt the
/// tickets: their clients make a full handshake.
public final class ServerTLS: Sendable {
  let context: OpenSSLRef
  /// The server's key and certificate chain.
  public let identity: ServerIdentity

  /// - Parameter newest: The highest TLS version to accept.
  /// - Throws: `TLSFileError.unusable` if the key or certificate is too weak.
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
    // OpenSSL must be able to sign with this key, not only load it.
    isUsable = isUsable && SSL_CTX_check_private_key(raw) == 1
    guard isUsable else {
      let reason = TLSError.text(ERR_peek_error())
      ERR_clear_error()
      throw .unusable(path: identity.path, reason: reason)
    }
    // Stateless tickets: clients store the session state, so thousands of clients cost no memory
    // here.
    atrest_set_session_cache(raw, CLong(SSL_SESS_CACHE_OFF))
    SSL_CTX_set_client_hello_cb(raw, requireALPN, nil)
    SSL_CTX_set_alpn_select_cb(raw, chooseHTTP2, nil)
  }
}

/// Holds the current `ServerTLS`, which can be replaced while serving. Thread-safe.
public final class TLSContextBox: Sendable {
  private let box: Mutex<ServerTLS>

  /// - Throws: The errors of `ServerTLS`.
  public init(_ identity: ServerIdentity) throws(TLSFileError) {
    box = Mutex(try ServerTLS(identity))
  }

  /// The configuration of new handshakes.
  public var current: ServerTLS { box.withLock { $0 } }

  /// Switches new handshakes to another identity. Existing connections and handshakes in progress
  /// keep theirs.
  /// - Throws: The errors of `ServerTLS`; nothing has changed then.
  public func replace(with identity: ServerIdentity) throws(TLSFileError) {
    let new = try ServerTLS(identity)
    box.withLock { $0 = new }
  }

  /// Rotates the session ticket keys. A leak of the server's memory then exposes the resumed
  /// connections of the last hours, not of all time. Clients with older tickets make a full
  /// handshake.
  /// - Throws: The errors of `ServerTLS`; nothing has changed then.
  public func renewTicketKeys() throws(TLSFileError) {
    try box.withLock { current throws(TLSFileError) in
      current = try ServerTLS(current.identity)
    }
  }
}

/// Refuses clients without ALPN: they are no gRPC clients, and OpenSSL would skip `chooseHTTP2`.
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

/// Selects `h2` or fails the handshake. Source of the list format: RFC 7301, section 3.1.
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
