// SPDX-License-Identifier: Apache-2.0
// Inserts TLS between a socket and an HTTP/2 handler.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import AtrestTLS

/// A handler above TLS. `opened` is called when the handshake is complete.
protocol EncryptedHandler: ByteStreamHandler {
  /// The socket is open and the handshake begins. `owner` can be told to close.
  func handshakeBegan(on owner: any ByteStreamOwner)
  /// The handshake failed, or the connection broke later. Called at most once, before `closed`.
  func tlsFailed(_ error: TLSError, isEstablished: Bool)
}

/// Buffers shared by the connections of one shard, so that memory does not grow with their number.
final class TLSScratch {
  /// Receives decrypted plaintext.
  let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Collects plaintext before encryption.
  var output: [UInt8] = []

  deinit { input.deallocate() }
}

/// Drives a `TLSSession` below an HTTP/2 handler. Buffers nothing: input is decrypted and passed on
/// in the same call, and output is requested only when the socket has taken everything. Flow
/// control and limits are therefore those of plaintext.
final class TLSHandler: ByteStreamHandler {
  /// Maximum bytes of unsent handshake replies before reading stops.
  private static let maxWaitingOutput = 16 * 1024

  private let inner: any EncryptedHandler
  /// Nil if it could not be created: the connection is then closed at once.
  private let session: TLSSession?
  private let noSession: TLSError?
  private let scratch: TLSScratch
  private let handshakeTimeout: Duration?
  private var handshakeEnds: Instant?
  private var owner: (any ByteStreamOwner)?
  private var isOpen = false
  private var hasToldFailure = false
  private let charge: Charge

  /// - Parameters:
  ///   - handshakeTimeout: Maximum time of the handshake; nil leaves that to the owner.
  ///   - overhead: Charged for what OpenSSL holds.
  ///   - session: Creates the session.
  init(
    _ inner: any EncryptedHandler, scratch: TLSScratch, handshakeTimeout: Duration?,
    overhead: Balance = Balance(), session: () throws(TLSError) -> TLSSession
  ) {
    self.inner = inner
    do throws(TLSError) {
      (self.session, noSession) = (try session(), nil)
    } catch {
      (self.session, noSession) = (nil, error)
    }
    self.scratch = scratch
    self.handshakeTimeout = handshakeTimeout
    charge = Charge(self.session == nil ? 0 : TLSSession.ownBytes, at: overhead)
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
    // After close_notify the inner handler already knows.
    if isOpen, session.failure != nil { inner.endOfInput(at: now) }
  }

  func appendOutput(to buffer: inout [UInt8]) {
    guard let session else { return }
    // Handshake messages, alerts, session tickets.
    session.takeOutput(into: &buffer)
    guard isOpen, session.failure == nil else { return }
    var plaintext: [UInt8] = []
    swap(&plaintext, &scratch.output)
    defer {
      // One large response must not pin its memory for the shard's lifetime.
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
    // Without `owner` the connection never opened, so there was no handshake.
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
