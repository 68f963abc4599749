// SPDX-License-Identifier: Apache-2.0
// Connects one client HTTP/2 connection to its socket and its channel.

import AtrestHTTP2
import AtrestSockets
import AtrestTLS
import Glibc

/// Drives a `ClientConnection`: calls in, bytes out, responses back. Confined to its channel's
/// shard.
final class ClientHandler: EncryptedHandler {
  private let core: ChannelCore
  /// Nil before `opened`: TCP connect and TLS come first.
  private var connection: ClientConnection?
  private var owner: (any ByteStreamOwner)?
  private weak var socket: SocketConnection?
  private var connectToken: DeadlineToken?
  private var calls: [CallID: ClientCall] = [:]
  /// The error reported on close, if this side knows more than the socket.
  private var failure: ConnectionError?

  init(core: ChannelCore) {
    self.core = core
  }

  /// Limits the time to connect, TLS included.
  func watch(_ socket: SocketConnection, timeout: Duration) {
    self.socket = socket
    connectToken = core.shard.schedule(at: core.shard.now.advanced(by: timeout)) { [weak self] in
      guard let self, connection == nil else { return }
      connectToken = nil
      failure = .socket(
        SocketError(.connect, errno: ETIMEDOUT, address: socket.peer.description))
      socket.close()
    }
  }

  // MARK: ByteStreamHandler

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    self.owner = owner
    forgetTimeout()
    connection = ClientConnection(
      limits: core.configuration.limits, codecs: core.codecs,
      authority: core.endpoint.authority, isSecure: core.configuration.tls != nil,
      userAgent: core.configuration.userAgent, compression: core.configuration.compression,
      now: now)
    core.opened(self)
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard let connection else { return }
    handle(connection.receive(bytes, at: now))
  }

  func endOfInput(at now: Instant) {
    guard let connection else { return }
    handle(connection.peerClosed(at: now))
  }

  func appendOutput(to buffer: inout [UInt8]) {
    guard let connection else { return }
    repeat {
      connection.appendOutput(to: &buffer)
      // A reset call frees its stream slot only when RST_STREAM is sent, without an event.
      core.startWaiting()
    } while handle(connection.pendingEvents)
      && buffer.count < core.configuration.limits.outputHighWaterBytes
  }

  var isFinished: Bool { connection?.isFinished ?? false }
  var acceptsInput: Bool { connection?.acceptsInput ?? true }
  var nextDeadline: Instant? { connection?.nextDeadline }

  func deadlineReached(at now: Instant) {
    guard let connection else { return }
    handle(connection.deadlineReached(at: now))
  }

  func closed(_ reason: CloseReason, at now: Instant) {
    forgetTimeout()
    let error = failure ?? .socket(reason.error(peer: socket?.peer))
    if let connection {
      handle(connection.peerClosed(at: now))
    }
    connection = nil
    owner = nil
    core.closed(self, error)
  }

  private func forgetTimeout() {
    if let connectToken { core.shard.cancel(connectToken) }
    connectToken = nil
  }

  // MARK: EncryptedHandler

  func handshakeBegan(on owner: any ByteStreamOwner) {}

  func tlsFailed(_ error: TLSError, isEstablished: Bool) {
    // The first failure wins, for instance a timeout.
    if failure == nil { failure = .tls(error) }
  }

  // MARK: Events

  /// - Returns: Whether there were any.
  @discardableResult
  private func handle(_ events: ClientEvents) -> Bool {
    var any = false
    for event in events {
      any = true
      switch event {
      case .headers:
        break  // Response metadata is not used above this layer.
      case .message(let id, let bytes):
        if let wrong = calls[id]?.receive(bytes) { cancel(id, wrong) }
      case .writable(let id):
        calls[id]?.writable()
      case .finished(let id, let status):
        calls.removeValue(forKey: id)?.finish(status)
      case .goAway:
        core.goingAway(self)
      }
    }
    // An ended call frees its stream slot, and SETTINGS may have raised the stream limit.
    if any { core.startWaiting() }
    return any
  }

  // MARK: Called by the channel

  /// Starts a call. False if the connection takes no more calls now.
  func start(_ call: ClientCall) -> Bool {
    guard let connection else { return false }
    let now = core.shard.now
    let timeout = call.deadline.map { $0.duration(since: now) }
    guard
      let id = connection.start(
        path: call.path, metadata: call.metadata, timeout: timeout, at: now)
    else { return false }
    calls[id] = call
    call.run(on: self, as: id)
    owner?.needsFlush()
    return true
  }

  func send(_ message: [UInt8], on id: CallID, end: Bool) -> SendResult {
    owner?.needsFlush()
    return connection?.send(message, on: id, end: end) ?? .gone
  }

  func finishSending(_ id: CallID) {
    connection?.finishSending(id)
    owner?.needsFlush()
  }

  func cancel(_ id: CallID, _ status: Status) {
    guard let call = calls.removeValue(forKey: id) else { return }
    connection?.cancel(id)
    owner?.needsFlush()
    call.finish(status)
  }

  func pauseReading(_ id: CallID) { connection?.pauseReading(id) }

  func resumeReading(_ id: CallID) {
    guard calls[id] != nil, let connection else { return }
    handle(connection.resumeReading(id))
    owner?.needsFlush()
  }

  /// Ends every call, drains the connection, and closes it.
  func leave(_ status: Status) {
    for id in Array(calls.keys) { cancel(id, status) }
    guard let connection, let owner else {
      socket?.close()
      return
    }
    connection.beginDrain(at: core.shard.now)
    owner.needsFlush()
    // A peer that does not read cannot keep the channel open.
    core.shard.schedule(at: core.shard.now.advanced(by: .seconds(1))) { [weak self] in
      self?.owner?.close()
    }
  }
}

extension CloseReason {
  /// The socket error shown to the user.
  fileprivate func error(peer: SocketAddress?) -> SocketError {
    let address = peer.map { "\($0)" } ?? "the server"
    return switch self {
    case .failed(let error): error
    case .finished, .closedHere:
      SocketError(.transfer, reason: "the server closed it", address: address)
    case .reset: SocketError(.transfer, errno: ECONNRESET, address: address)
    case .writeStalled:
      SocketError(.transfer, reason: "the server stopped reading", address: address)
    }
  }
}
