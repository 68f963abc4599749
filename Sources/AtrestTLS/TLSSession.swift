// SPDX-License-Identifier: Apache-2.0
// One TLS connection as a state machine: converts ciphertext to plaintext and back. Has no socket
// and no clock.

import CAtrestOpenSSL

/// One end of a TLS connection.
///
/// The owner passes in received bytes (`receive`) and plaintext to send (`send`), and takes the
/// ciphertext to send (`takeOutput`, after every call). The session never blocks and buffers almost
/// nothing: plaintext is delivered in the call that completes a record, and ciphertext is available
/// after the call that produced it. Not thread-safe.
public final class TLSSession {
  /// What `receive` reports.
  public enum Event {
    /// The handshake is complete: the peer is authenticated and speaks HTTP/2.
    case established
    /// Decrypted bytes. Valid during the call only.
    case plaintext(UnsafeRawBufferPointer)
    /// The peer sends no more (close_notify).
    case endOfInput
  }

  private enum Phase {
    case handshaking
    case established
    case failed(TLSError)
  }

  /// Maximum bytes of a peer's handshake. OpenSSL permits 128 KiB for a ClientHello alone. Real
  /// ones take 2 KiB, and a server's flight with its chain about 10 KiB.
  static let handshakeLimitBytes = 64 * 1024

  let session: OpaquePointer
  private let wire = MemoryBIO()
  /// The client settings. Nil on the server.
  private let client: ClientTLS?
  /// Keeps the context alive, because callbacks use it.
  private let context: OpenSSLRef
  private var phase = Phase.handshaking
  private var handshakeBytes = 0
  private var inputHasEnded = false
  private var outputHasEnded = false

  /// Creates the server's end of a new connection.
  /// - Throws: `TLSError.broken` if memory is exhausted.
  public init(server: ServerTLS) throws(TLSError) {
    (session, context, client) = (try Self.make(server.context, wire), server.context, nil)
    SSL_set_accept_state(session)
  }

  /// Creates the client's end. Its ClientHello is immediately available from `takeOutput`.
  /// - Parameter serverName: The SNI name if `client.trust` has none. Not used for verification.
  /// - Throws: `TLSError.wrongName` if no certificate can have this name, `.broken` if memory is
  ///   exhausted.
  public convenience init(client: ClientTLS, serverName: String? = nil) throws(TLSError) {
    try self.init(client: client, serverName: serverName, ticket: client.takeTicket())
  }

  init(client: ClientTLS, serverName: String? = nil, ticket: OpenSSLRef?) throws(TLSError) {
    (session, context, self.client) = (
      try Self.make(client.context, wire), client.context, client
    )
    SSL_set_connect_state(session)
    let protocols: [UInt8] = [2] + Array("h2".utf8)
    // Unlike most of OpenSSL, this function returns 0 for success.
    guard SSL_set_alpn_protos(session, protocols, CUnsignedInt(protocols.count)) == 0 else {
      throw fail(.broken("there is no memory"))
    }
    guard client.setNames(of: session, serverName: serverName) else {
      throw fail(.wrongName(client.trust.name ?? serverName ?? ""))
    }
    // An unusable ticket only causes a full handshake.
    if let ticket { SSL_set_session(session, ticket.pointer) }
    _ = try handshake()
  }

  deinit {
    // Freeing an `SSL` without a shutdown invalidates its tickets. Phones lose connections all day,
    // and their tickets stay valid. Only those of a failed session must go.
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
    // The BIO outlives the session: this object owns both and frees the session first.
    wire.keyUpdates.watch(session)
    return session
  }

  // MARK: What it is

  /// Whether the handshake is complete and nothing has failed since.
  public var isEstablished: Bool {
    if case .established = phase { true } else { false }
  }

  /// The error that ended the session, if any.
  public var failure: TLSError? {
    if case .failed(let error) = phase { error } else { nil }
  }

  /// Whether this side can send no more: it has sent close_notify or failed.
  public var outputIsOver: Bool { outputHasEnded || failure != nil }

  /// Whether it resumed an earlier session, without a new certificate.
  public var isResumed: Bool { SSL_session_reused(session) == 1 }

  /// The negotiated version. Nil during the handshake.
  public var version: TLSVersion? {
    guard isEstablished else { return nil }
    return SSL_version(session) == TLS1_2_VERSION ? .tls12 : .tls13
  }

  /// Bytes that `takeOutput` would append. A peer can make it grow only by sending, so an owner
  /// that stops reading at some bound limits both.
  public var outputBytes: Int { wire.output.count }

  // MARK: Verbs

  /// Processes received bytes and reports their contents.
  ///
  /// - Parameters:
  ///   - bytes: Any number. Pass at most 64 KiB at a time, to bound the work per call.
  ///   - scratch: Buffer for plaintext, 16 KiB or more. Sessions on one thread may share it.
  ///   - tell: Called in order. Must not call this session's methods.
  /// - Throws: The first error, again at every later call. An alert for the peer may be available
  ///   from `takeOutput`. Events reported before remain valid.
  public func receive(
    _ bytes: UnsafeRawBufferPointer, scratch: UnsafeMutableRawBufferPointer,
    tell: (Event) -> Void
  ) throws(TLSError) {
    if case .failed(let error) = phase { throw error }
    // Ignore data after close_notify: RFC 8446, section 6.1.
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

  /// Handles the end of the peer's bytes (FIN). It is legitimate only after close_notify.
  /// - Throws: `.handshakeCut` or `.truncated`: the connection was cut, not necessarily by the
  ///   peer.
  public func endOfInput() throws(TLSError) {
    switch phase {
    case .failed(let error): throw error
    case .handshaking: throw fail(.handshakeCut)
    case .established: if !inputHasEnded { throw fail(.truncated) }
    }
  }

  /// Encrypts bytes and appends the ciphertext to `output`. The overhead is 22 bytes per 16 KiB.
  ///
  /// Does nothing before the handshake is complete or after `close`.
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

  /// Sends close_notify: nothing can be sent afterwards. Idempotent. Does nothing during the
  /// handshake.
  public func close() {
    guard isEstablished, !outputHasEnded else { return }
    outputHasEnded = true
    ERR_clear_error()
    _ = SSL_shutdown(session)
    ERR_clear_error()
  }

  /// Moves the ciphertext to send into `output`.
  public func takeOutput(into output: inout [UInt8]) {
    guard !wire.output.isEmpty else { return }
    output.append(contentsOf: wire.output)
    wire.output = []
  }

  // MARK: Inside

  /// Advances the handshake. True once it is complete.
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
    // Check the pin again, because a resumed session does not call back about a certificate.
    if let client, !client.matchesPin(SSL_get0_peer_certificate(session)) {
      throw fail(.pinMismatch)
    }
  }

  /// In every version, a record begins with its type and the version's major number.
  private func checkFirstBytes(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    for index in handshakeBytes..<max(2, handshakeBytes) {
      guard index - handshakeBytes < bytes.count else { return }
      let byte = bytes[index - handshakeBytes]
      // 21 is an alert, which a server may send first. 22 is a handshake record.
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

  /// Records the first failure, and always returns that one.
  private func fail(_ error: TLSError) -> TLSError {
    if case .failed(let first) = phase { return first }
    if case .handshaking = phase { client?.forgetTickets() }
    phase = .failed(error)
    return error
  }
}
