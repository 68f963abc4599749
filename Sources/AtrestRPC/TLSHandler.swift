// SPDX-License-Identifier: Apache-2.0
// Puts TLS between a socket and an HTTP/2 handler.

import AtrestHTTP2
import AtrestSockets
import AtrestTLS

/// A handler that TLS lies under. It hears `opened` when the handshake is complete.
protocol EncryptedHandler: ByteStreamHandler {
  /// The socket is open and the handshake begins; `owner` may be told to close.
  func handshakeBegan(on owner: any ByteStreamOwner)
  /// The handshake failed, or the connection broke later. At most once, and before `closed`.
  func tlsFailed(_ error: TLSError, isEstablished: Bool)
}

/// What the connections of one shard share, so that their memory does not grow with their number.
final class TLSScratch {
  /// Where plaintext is decrypted to.
  let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Where plaintext is gathered before it is encrypted.
  var output: [UInt8] = []

  deinit { input.deallocate() }
}

/// Drives a `TLSSession` below an HTTP/2 handler. Nothing is kept here: what comes in is decrypted
/// and handed on in the same call, and the handler is asked for more only when the socket has taken
/// everything. So flow control passes through, and the bounds are those of plaintext.
final class TLSHandler: ByteStreamHandler {
  /// Answers to a peer's handshake messages that may wait before nothing more is read from it.
  private static let maxWaitingOutput = 16 * 1024

  private let inner: any EncryptedHandler
  /// Nil when it could not be made: the connection is then closed at once.
  private let session: TLSSession?
  private let noSession: TLSError?
  private let scratch: TLSScratch
  private let handshakeTimeout: Duration?
  private var handshakeEnds: Instant?
  private var owner: (any ByteStreamOwner)?
  private var isOpen = false
  private var hasToldFailure = false

  /// - Parameters:
  ///   - handshakeTimeout: How long the handshake may take; nil leaves that to the owner.
  ///   - session: Makes the session.
  init(
    _ inner: any EncryptedHandler, scratch: TLSScratch, handshakeTimeout: Duration?,
    session: () throws(TLSError) -> TLSSession
  ) {
    self.inner = inner
    do throws(TLSError) {
      (self.session, noSession) = (try session(), nil)
    } catch {
      (self.session, noSession) = (nil, error)
    }
    self.scratch = scratch
    self.handshakeTimeout = handshakeTimeout
  }

  // MARK: ByteStreamHandler

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    self.owner = owner
    handshakeEnds = handshakeTimeout.map { now.advanced(by: $0) }
    inner.handshakeBegan(on: owner)
    if let noSession { fail(noSession) }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard let session, session.failure == nil else { return }
    do throws(TLSError) {
      try session.receive(bytes, scratch: scratch.input) { event in
        switch event {
        case .established:
          guard let owner else { return }
          isOpen = true
          handshakeEnds = nil
          inner.opened(by: owner, at: now)
        case .plaintext(let plaintext): inner.receive(plaintext, at: now)
        case .endOfInput: inner.endOfInput(at: now)
        }
      }
    } catch {
      fail(error)
    }
  }

  func endOfInput(at now: Instant) {
    guard let session, session.failure == nil else { return }
    do throws(TLSError) { try session.endOfInput() } catch { fail(error) }
    // After a goodbye it has heard of it.
    if isOpen, session.failure != nil { inner.endOfInput(at: now) }
  }

  func appendOutput(to buffer: inout [UInt8]) {
    guard let session else { return }
    // The hello, an alert, tickets.
    session.takeOutput(into: &buffer)
    guard isOpen, session.failure == nil else { return }
    var plaintext: [UInt8] = []
    swap(&plaintext, &scratch.output)
    defer {
      // One large answer must not hold its memory for the life of the shard.
      if plaintext.capacity <= 1 << 20 {
        plaintext.removeAll(keepingCapacity: true)
        swap(&plaintext, &scratch.output)
      }
    }
    inner.appendOutput(to: &plaintext)
    do throws(TLSError) {
      let result = plaintext.withUnsafeBytes { bytes in
        Result { () throws(TLSError) in try session.send(bytes, into: &buffer) }
      }
      try result.get()
      if inner.isFinished { session.close() }
    } catch {
      fail(error)
    }
    session.takeOutput(into: &buffer)
  }

  var isFinished: Bool {
    guard let session else { return true }
    guard session.outputBytes == 0 else { return false }
    return session.failure != nil || (isOpen && inner.isFinished && session.outputIsOver)
  }

  var acceptsInput: Bool {
    guard let session, session.outputBytes <= Self.maxWaitingOutput else { return false }
    return !isOpen || inner.acceptsInput
  }

  var nextDeadline: Instant? { isOpen ? inner.nextDeadline : handshakeEnds }

  func deadlineReached(at now: Instant) {
    if isOpen { return inner.deadlineReached(at: now) }
    guard let handshakeEnds, handshakeEnds <= now else { return }
    self.handshakeEnds = nil
    fail(.handshakeTimeout)
    owner?.close()
  }

  func closed(_ reason: CloseReason, at now: Instant) {
    // Without `owner` there was no connection to encrypt.
    if !isOpen, owner != nil { fail(.handshakeCut) }
    owner = nil
    inner.closed(reason, at: now)
  }

  private func fail(_ error: TLSError) {
    guard !hasToldFailure else { return }
    hasToldFailure = true
    inner.tlsFailed(error, isEstablished: isOpen)
  }
}
