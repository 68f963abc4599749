// SPDX-License-Identifier: Apache-2.0
// Two in-memory TLS ends and the wire between them.

import CAtrestOpenSSL
import Glibc
import Testing

@testable import AtrestTLS

/// A bug in the test, or a peer that misbehaved.
struct Unexpected: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

/// One end of a TLS connection.
protocol End: AnyObject {
  /// The bytes to send.
  func output() -> [UInt8]
  /// Processes bytes of the other end.
  func take(_ bytes: ArraySlice<UInt8>)
}

/// A `TLSSession` that records its events.
final class SessionEnd: End {
  let session: TLSSession
  var received: [UInt8] = []
  var establishedCount = 0
  var endOfInputCount = 0
  var error: TLSError?
  private let scratch: UnsafeMutableRawBufferPointer

  init(_ session: TLSSession, scratchBytes: Int = 16_384) {
    self.session = session
    scratch = .allocate(byteCount: scratchBytes, alignment: 16)
  }

  deinit { scratch.deallocate() }

  func output() -> [UInt8] {
    var bytes: [UInt8] = []
    session.takeOutput(into: &bytes)
    return bytes
  }

  func take(_ bytes: ArraySlice<UInt8>) {
    do throws(TLSError) {
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(TLSError) in
          try session.receive(bytes, scratch: scratch) { event in
            switch event {
            case .established: establishedCount += 1
            case .plaintext(let bytes):
              // No data before `established`, and none after close_notify.
              precondition(establishedCount == 1 && endOfInputCount == 0)
              received.append(contentsOf: bytes)
            case .endOfInput: endOfInputCount += 1
            }
          }
        }
      }
      try result.get()
    } catch {
      self.error = error
    }
  }

  /// Encrypts `plaintext` to wire bytes.
  func encrypt(_ plaintext: [UInt8]) throws -> [UInt8] {
    var output: [UInt8] = []
    try plaintext.withUnsafeBytes { try session.send($0, into: &output) }
    return output
  }
}

/// Passes bytes both ways until both ends are silent. `cut` splits the bytes.
func converse(_ a: any End, _ b: any End, cut: ([UInt8]) -> [ArraySlice<UInt8>] = { [$0[...]] }) {
  var isQuiet = false
  while !isQuiet {
    isQuiet = true
    for (from, to) in [(a, b), (b, a)] {
      let bytes = from.output()
      guard !bytes.isEmpty else { continue }
      isQuiet = false
      for part in cut(bytes) { to.take(part) }
    }
  }
}

/// A client and a server before their handshake.
struct Pair {
  let client: SessionEnd
  let server: SessionEnd

  init(_ clientTLS: ClientTLS, _ serverTLS: ServerTLS, scratchBytes: Int = 16_384) throws {
    server = SessionEnd(try TLSSession(server: serverTLS), scratchBytes: scratchBytes)
    client = SessionEnd(try TLSSession(client: clientTLS), scratchBytes: scratchBytes)
  }

  /// A matching pair after the handshake.
  init(_ version: TLSVersion = .tls13) throws {
    let identity = try ServerIdentity.generate()
    try self.init(
      ClientTLS(.pinned(identity.fingerprint), newest: version), ServerTLS(identity))
    converse(client, server)
    guard client.session.isEstablished, server.session.isEstablished else {
      throw Unexpected("no handshake: \(String(describing: client.error))")
    }
  }

  /// Sends data each way and checks what arrives.
  func exchangeData(_ first: [UInt8] = [1, 2, 3], _ second: [UInt8] = [4, 5]) throws {
    server.take(try client.encrypt(first)[...])
    client.take(try server.encrypt(second)[...])
    #expect(server.received == first && client.received == second)
    server.received = []
    client.received = []
  }
}

/// Plain OpenSSL without our settings, for peers that do what ours never do.
final class ForeignEnd: End {
  let context: OpaquePointer
  let session: OpaquePointer
  private let input: OpaquePointer
  private let sink: OpaquePointer
  var received: [UInt8] = []
  /// The SSL_ERROR_… of the last failed call.
  var lastResult: CInt = 0
  /// The last alert received.
  var reason: CInt = 0

  /// - Parameter protocols: In ALPN's wire format; nil offers none.
  init(protocols: [UInt8]?, newest: CInt = TLS1_3_VERSION, ciphers: String? = nil) throws {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw Unexpected("no context") }
    self.context = context
    guard let session = SSL_new(context), let input = BIO_new(BIO_s_mem()),
      let sink = BIO_new(BIO_s_mem())
    else { throw Unexpected("no session") }
    (self.session, self.input, self.sink) = (session, input, sink)
    SSL_set_bio(session, input, sink)
    _ = SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, CLong(newest), nil)
    _ = SSL_ctrl(session, SSL_CTRL_SET_MIN_PROTO_VERSION, 0, nil)
    SSL_set_security_level(session, 0)
    if let ciphers, SSL_set_cipher_list(session, ciphers) != 1 { throw Unexpected("no ciphers") }
    if let protocols {
      SSL_set_alpn_protos(session, protocols, CUnsignedInt(protocols.count))
    }
    SSL_set_connect_state(session)
    work()
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
    ERR_clear_error()
  }

  func output() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    let count = BIO_read(sink, &bytes, CInt(bytes.count))
    return count > 0 ? Array(bytes[..<Int(count)]) : []
  }

  func take(_ bytes: ArraySlice<UInt8>) {
    _ = Array(bytes).withUnsafeBytes { BIO_write(input, $0.baseAddress, CInt($0.count)) }
    work()
  }

  /// Continues the handshake or reads.
  func work() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      ERR_clear_error()
      let count = SSL_read(session, &bytes, CInt(bytes.count))
      lastResult = SSL_get_error(session, count)
      if count <= 0 {
        let code = ERR_peek_error()
        if code != 0, reason == 0 { reason = ERR_GET_REASON(code) }
        ERR_clear_error()
        return
      }
      received.append(contentsOf: bytes[..<Int(count)])
    }
  }
}

extension ServerIdentity {
  /// A server identity signed by a test CA.
  static func signed(
    by authority: Authority, names: [String], validFrom: Int, validUntil: Int
  ) throws -> ServerIdentity {
    let maker = CertificateMaker(
      issuer: (authority.certificate, authority.key), commonName: "server", names: names,
      validFrom: validFrom, validUntil: validUntil)
    guard let key = CertificateMaker.makeKey(), let certificate = maker.make(for: key) else {
      throw Unexpected("no certificate")
    }
    return try ServerIdentity(key: key, chain: [certificate], keyPath: "key", path: "certificate")
  }
}

/// A test certificate authority.
struct Authority {
  let key: OpenSSLRef
  let certificate: OpenSSLRef
  /// Seconds since 1970: the present, for tests that do not depend on its value.
  static let now = time(nil)
  static let day = 86_400

  init() throws {
    let maker = CertificateMaker(
      commonName: "Test Authority", isAuthority: true, validFrom: Self.now - 100 * Self.day,
      validUntil: Self.now + 100 * Self.day)
    guard let key = CertificateMaker.makeKey(), let certificate = maker.make(for: key) else {
      throw Unexpected("no authority")
    }
    (self.key, self.certificate) = (key, certificate)
  }

  /// The certificate with its key, which tests ignore.
  var pem: [UInt8] {
    PEM.encode(key: key.pointer, certificate: certificate.pointer) ?? []
  }
}

extension TLSSession {
  /// Sends a KeyUpdate that requires a response. TLS 1.3.
  func askForNewKeys() {
    SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED)
    SSL_do_handshake(session)
  }
}
