// SPDX-License-Identifier: Apache-2.0
// Decides one TLS connection: ciphertext in, plaintext out, and the other way round. No socket, no
// clock.

import CAtrestOpenSSL

/// One end of a TLS connection.
///
/// Its owner hands in what arrives (`receive`), what is to be said (`send`), and takes what is to
/// be sent (`takeOutput`, after every call). It never waits and holds next to nothing: plaintext is
/// handed on within the call that brought its last byte, and ciphertext leaves with the call that
/// made it. Driven by one thread at a time.
public final class TLSSession {
  /// What the owner hears while bytes come in.
  public enum Event {
    /// The handshake is complete: the peer is who it should be, and speaks HTTP/2.
    case established
    /// Bytes of the peer, decrypted. Valid during the call only.
    case plaintext(UnsafeRawBufferPointer)
    /// The peer said that it sends no more (close_notify).
    case endOfInput
  }

  private enum Phase {
    case handshaking
    case established
    case failed(TLSError)
  }

  /// The most of a handshake that is read. OpenSSL allows a client 128 KiB for its hello alone;
  /// real ones take 2 KiB, and a server's with its chain some 10.
  static let handshakeLimitBytes = 64 * 1024

  let session: OpaquePointer
  private let wire = MemoryBIO()
  /// A client's; nil at the server.
  private let client: ClientTLS?
  /// Keeps the context's memory, which callbacks look into.
  private let context: OpenSSLRef
  private var phase = Phase.handshaking
  private var handshakeBytes = 0
  private var inputHasEnded = false
  private var outputHasEnded = false

  /// The server's end of a new connection.
  /// - Throws: `TLSError.broken` without memory.
  public init(server: ServerTLS) throws(TLSError) {
    (session, context, client) = (try Self.make(server.context, wire), server.context, nil)
    SSL_set_accept_state(session)
  }

  /// The client's end. Its hello is there to be taken at once.
  /// - Parameter serverName: Sent to servers that have several names (SNI), where `client.trust`
  ///   has none of its own. Never believed.
  /// - Throws: `TLSError.wrongName` for a name that no certificate can have; `.broken` without
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
    // This one function of OpenSSL answers 0 for success.
    guard SSL_set_alpn_protos(session, protocols, CUnsignedInt(protocols.count)) == 0 else {
      throw fail(.broken("there is no memory"))
    }
    guard client.setNames(of: session, serverName: serverName) else {
      throw fail(.wrongName(client.trust.name ?? serverName ?? ""))
    }
    // A ticket that OpenSSL does not like is only a full handshake.
    if let ticket { SSL_set_session(session, ticket.pointer) }
    _ = try handshake()
  }

  deinit {
    // An `SSL` that goes without goodbyes declares its tickets worthless. Phones lose connections
    // all day, and their tickets are as good as before; only those of a failure are not.
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
    // The wire outlives the session: this object owns both, and frees the session first.
    wire.keyUpdates.watch(session)
    return session
  }

  // MARK: What it is

  /// Whether the handshake is complete and nothing has failed since.
  public var isEstablished: Bool {
    if case .established = phase { true } else { false }
  }

  /// What ended it, if something did.
  public var failure: TLSError? {
    if case .failed(let error) = phase { error } else { nil }
  }

  /// Whether this side has said that it sends no more, or can say nothing any more.
  public var outputIsOver: Bool { outputHasEnded || failure != nil }

  /// Whether it goes on where an earlier connection ended, without a new proof of identity.
  public var isResumed: Bool { SSL_session_reused(session) == 1 }

  /// The version that was agreed on; nil during the handshake.
  public var version: TLSVersion? {
    guard isEstablished else { return nil }
    return SSL_version(session) == TLS1_2_VERSION ? .tls12 : .tls13
  }

  /// Bytes that `takeOutput` would append. What a peer can make it grow by is what it sends itself;
  /// an owner that reads no more beyond some bound has bounded both.
  public var outputBytes: Int { wire.output.count }

  // MARK: Verbs

  /// Takes bytes that arrived, and tells what is in them.
  ///
  /// - Parameters:
  ///   - bytes: As many as there are; hand in at most 64 KiB at a time, for the owner's sake.
  ///   - scratch: Where plaintext is made. 16 KiB or more; several sessions of a thread may share
  ///     it.
  ///   - tell: Called in order. It must not call this session's verbs.
  /// - Throws: What went wrong, the same at every later call. An alert for the peer may wait in
  ///   `takeOutput`. What was told before holds.
  public func receive(
    _ bytes: UnsafeRawBufferPointer, scratch: UnsafeMutableRawBufferPointer,
    tell: (Event) -> Void
  ) throws(TLSError) {
    if case .failed(let error) = phase { throw error }
    // Whatever follows a goodbye is nobody's: RFC 8446, section 6.1.
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

  /// The peer's bytes are over (its FIN came). Fine after its goodbye only.
  /// - Throws: `.handshakeCut` or `.truncated`: somebody, not necessarily the peer, cut the
  ///   connection.
  public func endOfInput() throws(TLSError) {
    switch phase {
    case .failed(let error): throw error
    case .handshaking: throw fail(.handshakeCut)
    case .established: if !inputHasEnded { throw fail(.truncated) }
    }
  }

  /// Encrypts; the ciphertext is appended to `output`, 22 bytes longer per 16 KiB.
  ///
  /// Nothing happens before the handshake is complete, or after `close`.
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
    // The wire takes everything, so one call writes everything.
    guard SSL_write_ex(session, plaintext.baseAddress, plaintext.count, &written) == 1 else {
      throw fail(TLSError(of: session, isHandshaking: false))
    }
  }

  /// Says goodbye: nothing can be sent any more. Idempotent; nothing happens during the handshake.
  public func close() {
    guard isEstablished, !outputHasEnded else { return }
    outputHasEnded = true
    ERR_clear_error()
    _ = SSL_shutdown(session)
    ERR_clear_error()
  }

  /// Appends what is to be sent, and forgets it.
  public func takeOutput(into output: inout [UInt8]) {
    guard !wire.output.isEmpty else { return }
    output.append(contentsOf: wire.output)
    wire.output = []
  }

  // MARK: Inside

  /// Whether the handshake is complete.
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

  /// What OpenSSL does not insist on.
  private func checkAgreement() throws(TLSError) {
    var name: UnsafePointer<UInt8>?
    var count: CUnsignedInt = 0
    SSL_get0_alpn_selected(session, &name, &count)
    guard UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8) else {
      throw fail(.noHTTP2)
    }
    // Again, because a resumed session brings no certificate to call back about.
    if let client, !client.matchesPin(SSL_get0_peer_certificate(session)) {
      throw fail(.pinMismatch)
    }
  }

  /// Every record begins with its type and the version's major number, in every version.
  private func checkFirstBytes(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    for index in handshakeBytes..<max(2, handshakeBytes) {
      guard index - handshakeBytes < bytes.count else { return }
      let byte = bytes[index - handshakeBytes]
      // 21 is an alert, which a server may begin with; 22 is the handshake.
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

  /// Notes the first failure; what is thrown is always that one.
  private func fail(_ error: TLSError) -> TLSError {
    if case .failed(let first) = phase { return first }
    if case .handshaking = phase { client?.forgetTickets() }
    phase = .failed(error)
    return error
  }
}
