// SPDX-License-Identifier: Apache-2.0
// The TLS protocol of one connection, without a socket or clock: ciphertext in, plaintext out, and
// back.

import CAtrestOpenSSL

/// One end of a TLS connection.
///
/// Its owner passes in received bytes (`receive`) and plaintext (`send`), and fetches ciphertext
/// (`takeOutput`) after every call. It never blocks and buffers almost nothing: plaintext is
/// delivered within the call that completed its record, and ciphertext is available after the call
/// that produced it. Not thread-safe.
public final class TLSSession {
  /// An event of `receive`.
  public enum Event {
    /// The handshake is complete: the peer is verified and speaks HTTP/2.
    case established
    /// Decrypted bytes. Valid only during the call.
    case plaintext(UnsafeRawBufferPointer)
    /// The peer sent close_notify.
    case endOfInput
  }

  private enum Phase {
    case handshaking
    case established
    case failed(TLSError)
  }

  /// Maximum handshake input in bytes. OpenSSL allows 128 KiB for a ClientHello alone; real ones
  /// take 2 KiB, and a server's flight with its chain about 10.
  static let handshakeLimitBytes = 64 * 1024

  /// Memory of an established session in bytes, as OpenSSL 3.0 asks for it: 15.3 KiB with TLS 1.3,
  /// 13.9 with TLS 1.2, of which the `SSL` itself is half.
  public static let ownBytes = 16 * 1024

  let session: OpaquePointer
  private let wire = MemoryBIO()
  /// The client's configuration; nil on the server.
  private let client: ClientTLS?
  /// Keeps the context alive for its callbacks.
  private let context: OpenSSLRef
  private var phase = Phase.handshaking
  private var handshakeBytes = 0
  private var inputHasEnded = false
  private var outputHasEnded = false

  /// Creates the server's end of a connection.
  /// - Throws: `TLSError.broken` if out of memory.
  public init(server: ServerTLS) throws(TLSError) {
    (session, context, client) = (try Self.make(server.context, wire), server.context, nil)
    SSL_set_accept_state(session)
  }

  /// Creates the client's end. Its ClientHello is available at once.
  /// - Parameter serverName: The SNI name if `client.trust` has none. Not used for verification.
  /// - Throws: `TLSError.distrusted` for a name that no certificate can have; `.broken` if out of
  ///   memory.
  public convenience init(client: ClientTLS, serverName: String? = nil) throws(TLSError) {
    try self.init(client: client, serverName: serverName, ticket: client.takeTicket())
  }

  init(client: ClientTLS, serverName: String? = nil, ticket: OpenSSLRef?) throws(TLSError) {
    (session, context, self.client) = (
      try Self.make(client.context, wire), client.context, client
    )
    SSL_set_connect_state(session)
    let protocols: [UInt8] = [2] + Array("h2".utf8)
    // Unlike other OpenSSL functions, this one returns 0 for success.
    guard SSL_set_alpn_protos(session, protocols, CUnsignedInt(protocols.count)) == 0 else {
      throw fail(.broken("there is no memory"))
    }
    guard client.setNames(of: session, serverName: serverName) else {
      throw fail(.distrusted(.wrongName(client.trust.name ?? serverName ?? "")))
    }
    // A ticket that OpenSSL rejects only causes a full handshake.
    if let ticket { SSL_set_session(session, ticket.pointer) }
    _ = try handshake()
  }

  deinit {
    // OpenSSL invalidates the tickets of an `SSL` freed without close_notify. Phones lose
    // connections all day, and their tickets remain good; only failed connections invalidate them.
    switch phase {
    case .established, .failed(.truncated):
      SSL_set_shutdown(session, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    case .handshaking, .failed: break
    }
    SSL_free(session)
    ERR_clear_error()
  }

  private static func make(_ context: OpenSSLRef, _ wire: MemoryBIO) throws(TLSError)
    -> OpaquePointer
  {
    ERR_clear_error()
    guard let session = SSL_new(context.pointer) else { throw .broken("there is no memory") }
    guard let bio = wire.makeBIO() else {
      SSL_free(session)
      throw .broken("there is no memory")
    }
    SSL_set_bio(session, bio, bio)
    // The wire outlives the session: this object owns both and frees the session first.
    wire.keyUpdates.watch(session)
    return session
  }

  // MARK: State

  /// Whether the handshake is complete and nothing has failed since.
  public var isEstablished: Bool {
    if case .established = phase { true } else { false }
  }

  /// The error that ended the connection, if any.
  public var failure: TLSError? {
    if case .failed(let error) = phase { error } else { nil }
  }

  /// Whether this side has sent close_notify or has failed.
  public var outputIsOver: Bool { outputHasEnded || failure != nil }

  /// Whether the session was resumed, without a new certificate verification.
  public var isResumed: Bool { SSL_session_reused(session) == 1 }

  /// The negotiated version; nil during the handshake.
  public var version: TLSVersion? {
    guard isEstablished else { return nil }
    return SSL_version(session) == TLS1_2_VERSION ? .tls12 : .tls13
  }

  /// Bytes that `takeOutput` would append. Only the peer's own input makes them grow, so an owner
  /// that stops reading above a bound limits both.
  public var outputBytes: Int { wire.output.count }

  // MARK: Operations

  /// Processes received bytes and reports their contents.
  ///
  /// - Parameters:
  ///   - bytes: Any number; the owner should pass at most 64 KiB at a time.
  ///   - scratch: Buffer for plaintext, 16 KiB or more. Sessions of one thread may share it.
  ///   - tell: Called in order. It must not call methods of this session.
  /// - Throws: The error that ended the connection, again on every later call. An alert for the
  ///   peer may be in `takeOutput`. Events reported before it are valid.
  public func receive(
    _ bytes: UnsafeRawBufferPointer, scratch: UnsafeMutableRawBufferPointer,
    tell: (Event) -> Void
  ) throws(TLSError) {
    if case .failed(let error) = phase { throw error }
    // Input after close_notify is ignored: RFC 8446, section 6.1.
    guard !inputHasEnded, !bytes.isEmpty else { return }
    wire.input = bytes
    defer { wire.input = UnsafeRawBufferPointer(start: nil, count: 0) }
    if case .handshaking = phase {
      try checkFirstBytes(bytes)
      let isDone = try handshake()
      handshakeBytes += bytes.count - wire.input.count
      guard isDone else {
        if handshakeBytes > Self.handshakeLimitBytes { throw fail(.broken("too long a handshake")) }
        return
      }
      tell(.established)
    }
    try read(into: scratch, tell)
  }

  /// Reports the peer's FIN, which is valid only after close_notify.
  /// - Throws: `.handshakeCut` or `.truncated`: the peer or an attacker cut the connection.
  public func endOfInput() throws(TLSError) {
    switch phase {
    case .failed(let error): throw error
    case .handshaking: throw fail(.handshakeCut)
    case .established: if !inputHasEnded { throw fail(.truncated) }
    }
  }

  /// Encrypts `plaintext` and appends the ciphertext to `output`, 22 bytes longer per 16 KiB.
  ///
  /// No effect before the handshake is complete, or after `close`.
  public func send(
    _ plaintext: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) throws(TLSError) {
    if case .failed(let error) = phase { throw error }
    takeOutput(into: &output)
    guard isEstablished, !outputHasEnded, !plaintext.isEmpty else { return }
    swap(&wire.output, &output)
    defer { swap(&wire.output, &output) }
    var written = 0
    ERR_clear_error()
    // The BIO accepts everything, so one call writes everything.
    guard SSL_write_ex(session, plaintext.baseAddress, plaintext.count, &written) == 1 else {
      throw fail(TLSError(of: session, isHandshaking: false))
    }
  }

  /// Sends close_notify: no further `send`. Idempotent; no effect during the handshake.
  public func close() {
    guard isEstablished, !outputHasEnded else { return }
    outputHasEnded = true
    ERR_clear_error()
    _ = SSL_shutdown(session)
    ERR_clear_error()
  }

  /// Moves pending ciphertext to `output`.
  public func takeOutput(into output: inout [UInt8]) {
    guard !wire.output.isEmpty else { return }
    output.append(contentsOf: wire.output)
    wire.output = []
  }

  // MARK: Internals

  /// Continues the handshake. Returns whether it is complete.
  private func handshake() throws(TLSError) -> Bool {
    ERR_clear_error()
    let result = SSL_do_handshake(session)
    if result != 1 {
      if SSL_get_error(session, result) == SSL_ERROR_WANT_READ { return false }
      throw fail(TLSError(of: session, name: client?.trust.name, isHandshaking: true))
    }
    try checkAgreement()
    phase = .established
    return true
  }

  /// Checks what OpenSSL does not enforce.
  private func checkAgreement() throws(TLSError) {
    var name: UnsafePointer<UInt8>?
    var count: CUnsignedInt = 0
    SSL_get0_alpn_selected(session, &name, &count)
    guard UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8) else {
      throw fail(.noHTTP2)
    }
    // Checked again: a resumed session sends no certificate, so no callback runs.
    if let client, !client.matchesPin(SSL_get0_peer_certificate(session)) {
      throw fail(.distrusted(.pinMismatch))
    }
  }

  /// Every record starts with its type and the major version, in all TLS versions.
  private func checkFirstBytes(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    for index in handshakeBytes..<max(2, handshakeBytes) {
      guard index - handshakeBytes < bytes.count else { return }
      let byte = bytes[index - handshakeBytes]
      // 21 is an alert, which a server may send first; 22 is a handshake.
      guard index == 0 ? byte == 22 || (byte == 21 && client != nil) : byte == 3 else {
        throw fail(.notTLS)
      }
    }
  }

  private func read(
    into scratch: UnsafeMutableRawBufferPointer, _ tell: (Event) -> Void
  ) throws(TLSError) {
    var filled = 0
    func flush() {
      if filled > 0 { tell(.plaintext(UnsafeRawBufferPointer(rebasing: scratch[..<filled]))) }
      filled = 0
    }
    while true {
      var count = 0
      ERR_clear_error()
      let result = SSL_read_ex(
        session, scratch.baseAddress.map { $0 + filled }, scratch.count - filled, &count)
      if result == 1 {
        filled += count
        wire.keyUpdates.earn(count)
        if filled == scratch.count { flush() }
        continue
      }
      let code = SSL_get_error(session, result)
      let error = code == SSL_ERROR_WANT_READ ? nil : TLSError(of: session, isHandshaking: false)
      flush()
      switch code {
      case SSL_ERROR_WANT_READ:
        if wire.keyUpdates.isOverspent {
          throw fail(.broken("the peer changes its keys all the time"))
        }
        return
      case SSL_ERROR_ZERO_RETURN:
        inputHasEnded = true
        return tell(.endOfInput)
      default:
        throw fail(error ?? .truncated)
      }
    }
  }

  /// Records the first failure and returns it, also for later ones.
  private func fail(_ error: TLSError) -> TLSError {
    if case .failed(let first) = phase { return first }
    if case .handshaking = phase { client?.forgetTickets() }
    phase = .failed(error)
    return error
  }
}
