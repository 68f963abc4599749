// SPDX-License-Identifier: Apache-2.0
// Decides what a server asks of every TLS connection, and lets its certificate change under load.

import CAtrestOpenSSL
import Synchronization

/// What a server's handshakes share: its identity, its keys for session tickets. Never changed.
///
/// OpenSSL draws the ticket keys with the context, so the tickets of one context mean nothing to
/// another: a client that comes with one makes a full handshake.
public final class ServerTLS: Sendable {
  let context: OpenSSLRef
  /// Who the server is.
  public let identity: ServerIdentity

  /// - Parameter newest: The newest version it speaks.
  /// - Throws: `TLSFileError.unusable` for a key or a certificate too weak to use.
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
    // The library must be able to make every handshake this key is for, not only to hold it.
    isUsable = isUsable && SSL_CTX_check_private_key(raw) == 1
    guard isUsable else {
      let reason = TLSError.text(ERR_peek_error())
      ERR_clear_error()
      throw .unusable(path: identity.path, reason: reason)
    }
    // Tickets keep what resuming needs at the client: thousands of clients cost nothing here.
    atrest_set_session_cache(raw, CLong(SSL_SESS_CACHE_OFF))
    SSL_CTX_set_client_hello_cb(raw, requireALPN, nil)
    SSL_CTX_set_alpn_select_cb(raw, chooseHTTP2, nil)
  }
}

/// The server's present `ServerTLS`, to be exchanged while it serves. Thread-safe.
public final class TLSContextBox: Sendable {
  private let box: Mutex<ServerTLS>

  /// - Throws: As `ServerTLS`.
  public init(_ identity: ServerIdentity) throws(TLSFileError) {
    box = Mutex(try ServerTLS(identity))
  }

  /// What new handshakes use.
  public var current: ServerTLS { box.withLock { $0 } }

  /// Has new handshakes use another identity. Connections that exist, those in the middle of the
  /// handshake included, keep theirs.
  /// - Throws: As `ServerTLS`; nothing has changed then.
  public func replace(with identity: ServerIdentity) throws(TLSFileError) {
    let new = try ServerTLS(identity)
    box.withLock { $0 = new }
  }

  /// Has new handshakes use new keys for session tickets: whoever gets hold of a server's memory
  /// has the keys of its last hours, and not of all connections since its start that were resumed.
  /// A client that comes with an older ticket makes a full handshake.
  /// - Throws: As `ServerTLS`; nothing has changed then.
  public func renewTicketKeys() throws(TLSFileError) {
    try box.withLock { current throws(TLSFileError) in
      current = try ServerTLS(current.identity)
    }
  }
}

/// Refuses a client that does not say which protocols it speaks: it is no gRPC client, and OpenSSL
/// would not ask `chooseHTTP2` about it.
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

/// Chooses `h2`, or fails the handshake. Source of the list's form: RFC 7301, section 3.1.
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
