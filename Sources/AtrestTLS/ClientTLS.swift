// SPDX-License-Identifier: Apache-2.0
// Decides which server a client believes, and remembers its session tickets.

import CAtrestOpenSSL
import Glibc
import Synchronization

/// Which server a client believes.
public enum ClientTrust: Hashable, Sendable {
  /// The one with exactly this certificate, whatever name or dates it has.
  case pinned(CertificateFingerprint)
  /// One whose certificate is for this name or address, and signed by an authority of this machine.
  case system(name: String)
  /// One whose certificate is for this name or address, and signed by an authority in a PEM file.
  case authority(file: String, name: String)

  /// The name that the certificate must be for.
  var name: String? {
    switch self {
    case .pinned: nil
    case .system(let name), .authority(_, let name): name
    }
  }
}

/// What a client's connections to one server share: whom to believe, and tickets to resume with.
/// Thread-safe.
public final class ClientTLS: Sendable {
  /// Tickets kept. A server hands out two at a time, and each is for one connection.
  private static let maxTickets = 4

  let context: OpenSSLRef
  /// Which server is believed.
  public let trust: ClientTrust
  private let tickets = Mutex<[OpenSSLRef]>([])

  /// - Parameter newest: The newest version it speaks.
  /// - Throws: What is wrong with the file of authorities.
  public init(_ trust: ClientTrust, newest: TLSVersion = .tls13) throws(TLSFileError) {
    self.trust = trust
    guard let context = OpenSSLContext.make(isServer: false, newest: newest) else {
      throw .unusable(path: "a new TLS context", reason: "there is no memory")
    }
    self.context = context
    let raw = context.pointer
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
    switch trust {
    case .pinned:
      // Unretained: whoever has an `SSL` of this context holds this object, too.
      SSL_CTX_set_cert_verify_callback(raw, comparePin, Unmanaged.passUnretained(self).toOpaque())
    case .system:
      // A machine without authorities believes nobody, which the handshake then says.
      _ = SSL_CTX_set_default_verify_paths(raw)
    case .authority(let file, _):
      guard let authorities = PEM.certificates(try KeyFile(path: file).read()) else {
        throw .noCertificate(path: file)
      }
      let store = SSL_CTX_get_cert_store(raw)
      for authority in authorities { X509_STORE_add_cert(store, authority.pointer) }
    }
    ERR_clear_error()
    SSL_CTX_set_ex_data(raw, 0, Unmanaged.passUnretained(self).toOpaque())
    // Sessions go to `keepTicket` only: OpenSSL's own store would grow.
    atrest_set_session_cache(
      raw, CLong(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
    SSL_CTX_sess_set_new_cb(raw, keepTicket)
  }

  /// Keeps what a later connection can resume with.
  fileprivate func keep(_ ticket: OpenSSLRef) {
    tickets.withLock { tickets in
      tickets.append(ticket)
      if tickets.count > Self.maxTickets { tickets.removeFirst() }
    }
  }

  /// A ticket to resume with, if there is one; it is not given out again.
  ///
  /// Using one twice would let somebody who watches the network link the two connections (RFC 8446,
  /// appendix C.4). Under TLS 1.2, where a server issues no new one on resuming, it does stay.
  func takeTicket() -> OpenSSLRef? {
    tickets.withLock { tickets in
      while let ticket = tickets.popLast() {
        guard SSL_SESSION_is_resumable(ticket.pointer) == 1 else { continue }
        if SSL_SESSION_get_protocol_version(ticket.pointer) == TLS1_2_VERSION {
          tickets.append(ticket)
        }
        return ticket
      }
      return nil
    }
  }

  /// Forgets every ticket: a handshake failed, and the next one starts afresh.
  func forgetTickets() {
    tickets.withLock { $0 = [] }
  }

  /// Whether `certificate` is the one that is pinned; true where nothing is pinned.
  func matchesPin(_ certificate: OpaquePointer?) -> Bool {
    guard case .pinned(let pin) = trust else { return true }
    guard let certificate else { return false }
    return CertificateFingerprint(of: certificate) == pin
  }

  /// Has OpenSSL check a certificate's name on one connection, and send it to servers with several.
  ///
  /// - Parameter serverName: What to send where the trust itself has no name.
  func setNames(of session: OpaquePointer, serverName: String?) -> Bool {
    if let name = trust.name {
      if Self.isAddress(name) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name) == 1
      }
      SSL_set_hostflags(session, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      // An empty name would switch the check off.
      guard !name.isEmpty, !name.utf8.contains(0), SSL_set1_host(session, name) == 1 else {
        return false
      }
    }
    guard let sent = trust.name ?? serverName, !Self.isAddress(sent) else { return true }
    return atrest_set_server_name(session, sent) == 1
  }

  private static func isAddress(_ name: String) -> Bool {
    var octets = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, name, &octets) == 1 || inet_pton(AF_INET6, name, &octets) == 1
  }
}

/// Replaces the whole check of a chain by one comparison.
private func comparePin(_ chain: OpaquePointer?, _ owner: UnsafeMutableRawPointer?) -> CInt {
  guard let owner else { return 0 }
  let tls = Unmanaged<ClientTLS>.fromOpaque(owner).takeUnretainedValue()
  if tls.matchesPin(X509_STORE_CTX_get0_cert(chain)) {
    X509_STORE_CTX_set_error(chain, X509_V_OK)
    return 1
  }
  X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION)
  return 0
}

/// Takes over a session that the server gave a ticket for.
private func keepTicket(_ session: OpaquePointer?, _ ticket: OpaquePointer?) -> CInt {
  guard let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0),
    let ticket = OpenSSLRef.session(ticket)
  else { return 0 }
  Unmanaged<ClientTLS>.fromOpaque(owner).takeUnretainedValue().keep(ticket)
  return 1
}
