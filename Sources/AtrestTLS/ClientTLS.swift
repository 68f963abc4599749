// SPDX-License-Identifier: Apache-2.0
// Verifies servers for a client and caches session tickets.

import AtrestTrust
import CAtrestOpenSSL
import Glibc
import Synchronization

/// How a client verifies a server.
public enum ClientTrust: Hashable, Sendable {
  /// The server has exactly this certificate. Its names and dates do not matter.
  case pinned(CertificateFingerprint)
  /// The certificate is valid for this name or address and issued by a CA of this machine.
  case system(name: String)
  /// The certificate is valid for this name or address and issued by a CA in a PEM file.
  case authority(file: String, name: String)

  /// The name that the certificate must match.
  var name: String? {
    switch self {
    case .pinned: nil
    case .system(let name), .authority(_, let name): name
    }
  }
}

/// Shared by a client's connections to one server: its verification and session tickets.
/// Thread-safe.
public final class ClientTLS: Sendable {
  /// Maximum cached tickets. A server issues two at a time, each for one connection.
  private static let maxTickets = 4

  let context: OpenSSLRef
  /// How the server is verified.
  public let trust: ClientTrust
  private let tickets = Mutex<[OpenSSLRef]>([])

  /// - Parameter newest: The highest TLS version to offer.
  /// - Throws: `TLSFileError` if the CA file is unusable.
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
      // Unretained: every owner of an `SSL` of this context retains this object too.
      SSL_CTX_set_cert_verify_callback(raw, comparePin, Unmanaged.passUnretained(self).toOpaque())
    case .system:
      // Without system CAs every server is untrusted; the handshake then reports that.
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
    // Only `keepTicket` stores sessions: OpenSSL's own cache would grow.
    atrest_set_session_cache(
      raw, CLong(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
    SSL_CTX_sess_set_new_cb(raw, keepTicket)
  }

  /// Caches a ticket for a later connection.
  fileprivate func keep(_ ticket: OpenSSLRef) {
    tickets.withLock { tickets in
      tickets.append(ticket)
      if tickets.count > Self.maxTickets { tickets.removeFirst() }
    }
  }

  /// Removes and returns a ticket for resumption, if there is one.
  ///
  /// Using a ticket twice would let an observer link the two connections (RFC 8446, appendix C.4).
  /// Under TLS 1.2, where resumption issues no new ticket, it stays cached.
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

  /// Drops every ticket after a failed handshake, so the next one is a full handshake.
  func forgetTickets() {
    tickets.withLock { $0 = [] }
  }

  /// Whether `certificate` is the pinned one; true if nothing is pinned.
  func matchesPin(_ certificate: OpaquePointer?) -> Bool {
    guard case .pinned(let pin) = trust else { return true }
    guard let certificate else { return false }
    return CertificateFingerprint(of: certificate) == pin
  }

  /// Sets the name that OpenSSL verifies, and the SNI name.
  ///
  /// - Parameter serverName: The SNI name if `trust` has no name.
  func setNames(of session: OpaquePointer, serverName: String?) -> Bool {
    if let name = trust.name {
      if Self.isAddress(name) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name) == 1
      }
      SSL_set_hostflags(session, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      // An empty name would disable the check.
      guard !name.isEmpty, !name.utf8.contains(0), SSL_set1_host(session, name) == 1 else {
        return false
      }
    }
    guard let sent = trust.name ?? serverName, !Self.isAddress(sent) else { return true }
    return atrest_set_server_name(session, sent) == 1
  }

  /// Whether a text is an IPv4 or IPv6 address.
  static func isAddress(_ name: String) -> Bool {
    var octets = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, name, &octets) == 1 || inet_pton(AF_INET6, name, &octets) == 1
  }
}

/// Replaces chain verification by a comparison with the pin.
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

/// Takes ownership of a session for which the server sent a ticket.
private func keepTicket(_ session: OpaquePointer?, _ ticket: OpaquePointer?) -> CInt {
  guard let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0),
    let ticket = OpenSSLRef.session(ticket)
  else { return 0 }
  Unmanaged<ClientTLS>.fromOpaque(owner).takeUnretainedValue().keep(ticket)
  return 1
}
