// SPDX-License-Identifier: Apache-2.0
// The channel's state machine: connects on demand and queues calls until a connection takes them.

import AtrestHTTP2
import AtrestSockets
import AtrestTLS
import Glibc

/// A channel's state. Confined to its shard.
final class ChannelCore {
  private enum State {
    /// No connection, and no call needs one.
    case idle
    /// The name is being resolved.
    case resolving
    /// One address is being tried; `rest` comes next.
    case connecting(ClientHandler, rest: [SocketAddress])
    case connected(ClientHandler)
    case closed
  }

  /// Maximum addresses tried per connection.
  private static let maxAddresses = 4
  /// Maximum connections tried for a waiting call: one more if the first sent GOAWAY at once.
  private static let maxAttempts = 2

  let endpoint: Endpoint
  let configuration: GRPCChannel.Configuration
  let shard: Shard
  let codecs = Codecs()
  private let note: TLSFailureNote
  private let end: OneShotEvent
  private lazy var scratch = TLSScratch()
  private var state = State.idle
  private var waiting: [ClientCall] = []
  /// Open connections, including those that take no new calls.
  private var handlers: [ObjectIdentifier: ClientHandler] = [:]

  init(
    endpoint: Endpoint, configuration: GRPCChannel.Configuration, shard: Shard,
    note: TLSFailureNote, end: OneShotEvent
  ) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.shard = shard
    self.note = note
    self.end = end
  }

  // MARK: Calls

  func begin(_ call: ClientCall) {
    call.wait(until: nil)
    if case .closed = state { return call.finish(.channelClosed) }
    if call.cancellationRequested { return call.finish(.cancelledHere) }
    if let timeout = call.timeout { call.deadline = shard.now.advanced(by: timeout) }
    if case .connected(let handler) = state, waiting.isEmpty, handler.start(call) { return }
    guard waiting.count < configuration.maxWaitingCalls else { return call.finish(.tooManyWaiting) }
    waiting.append(call)
    if let deadline = call.deadline {
      let token = shard.schedule(at: deadline) { [weak self] in
        call.wait(until: nil)
        self?.endWait(of: call, .deadlineWhileWaiting)
      }
      call.wait(until: token)
    }
    connectIfNeeded()
  }

  func cancel(_ call: ClientCall) {
    // A task may be cancelled, and this run, before the call arrives here.
    guard call.hasBegun, !call.isOver else { return }
    guard let (handler, id) = call.connection else { return endWait(of: call, .cancelledHere) }
    handler.cancel(id, .cancelledHere)
  }

  /// A stream's reader has caught up.
  func resume(_ call: ClientCall) {
    if let (handler, id) = call.connection { handler.resumeReading(id) }
  }

  private func endWait(of call: ClientCall, _ status: Status) {
    waiting.removeAll { $0 === call }
    forgetWait(of: call)
    call.finish(status)
  }

  private func forgetWait(of call: ClientCall) {
    if let token = call.takeWaitToken() { shard.cancel(token) }
  }

  /// Starts waiting calls until the connection takes no more.
  func startWaiting() {
    guard !waiting.isEmpty, case .connected(let handler) = state else { return }
    var started = 0
    for call in waiting {
      if call.isOver {
        started += 1
        continue
      }
      guard handler.start(call) else { break }
      forgetWait(of: call)
      started += 1
    }
    waiting.removeFirst(min(started, waiting.count))
  }

  private func failWaiting(_ status: Status, where isDoomed: (ClientCall) -> Bool = { _ in true }) {
    let doomed = waiting.filter(isDoomed)
    waiting.removeAll(where: isDoomed)
    for call in doomed {
      forgetWait(of: call)
      call.finish(status)
    }
  }

  // MARK: Connecting

  private func connectIfNeeded() {
    guard case .idle = state, !waiting.isEmpty else { return }
    for call in waiting { call.attempts += 1 }
    state = .resolving
    let bound = ShardBound(self, to: shard)
    let shard = shard
    endpoint.resolve { result in
      if shard.isCurrent { return bound.value.resolved(result) }
      shard.async { bound.value.resolved(result) }
    }
  }

  private func resolved(_ result: Result<[SocketAddress], SocketError>) {
    guard case .resolving = state else { return }
    switch result {
    case .success(let addresses): tryNext(Array(addresses.prefix(Self.maxAddresses)), after: nil)
    case .failure(let error): connectingFailed(.socket(error))
    }
  }

  private func tryNext(_ addresses: [SocketAddress], after error: ConnectionError?) {
    guard let address = addresses.first else {
      return connectingFailed(
        error ?? .socket(SocketError(.resolve, reason: "it has no address")))
    }
    let handler = ClientHandler(core: self)
    handlers[ObjectIdentifier(handler)] = handler
    state = .connecting(handler, rest: Array(addresses.dropFirst()))
    var options = SocketConnection.Options()
    options.writeStallTimeout = configuration.limits.writeStall
    let connection = SocketConnection.connect(
      to: address, on: shard, timeout: configuration.limits.connectTimeout, options: options,
      handler: encrypted(handler))
    handler.watch(connection, timeout: configuration.limits.connectTimeout)
  }

  /// The handler, wrapped in TLS if configured.
  private func encrypted(_ handler: ClientHandler) -> any ByteStreamHandler {
    guard let tls = configuration.tls else { return handler }
    var name: String?
    if case .host(let host, _) = endpoint { name = host }
    // The connect timeout covers the handshake.
    return TLSHandler(handler, scratch: scratch, handshakeTimeout: nil) { () throws(TLSError) in
      try TLSSession(client: tls, serverName: name)
    }
  }

  private func connectingFailed(_ error: ConnectionError) {
    state = .idle
    if case .tls(let failure) = error { note.error = failure } else { note.error = nil }
    failWaiting(Status(.unavailable, error.userMessage))
  }

  // MARK: Events from handlers

  func opened(_ handler: ClientHandler) {
    guard case .connecting(let current, _) = state, current === handler else { return }
    state = .connected(handler)
    note.error = nil
    startWaiting()
  }

  /// The connection takes no new calls.
  func goingAway(_ handler: ClientHandler) {
    guard case .connected(let current) = state, current === handler else { return }
    state = .idle
    failWaiting(.serverLeft) { $0.attempts >= Self.maxAttempts }
    connectIfNeeded()
  }

  func closed(_ handler: ClientHandler, _ error: ConnectionError) {
    handlers[ObjectIdentifier(handler)] = nil
    switch state {
    case .connecting(let current, let rest) where current === handler:
      tryNext(error.allowsOtherAddress ? rest : [], after: error)
    case .connected(let current) where current === handler:
      state = .idle
      if case .tls(let failure) = error { note.error = failure }
      failWaiting(Status(.unavailable, error.userMessage)) { $0.attempts >= Self.maxAttempts }
      connectIfNeeded()
    case .closed:
      if handlers.isEmpty { end.signal() }
    case .idle, .resolving, .connecting, .connected:
      break
    }
  }

  // MARK: Closing

  func close() {
    if case .closed = state { return }
    state = .closed
    failWaiting(.channelClosed)
    for handler in Array(handlers.values) { handler.leave(.channelClosed) }
    if handlers.isEmpty { end.signal() }
  }
}

extension Status {
  static let cancelledHere = Status(.cancelled, "The call was cancelled.")
  static let channelClosed = Status(.unavailable, "The connection was closed here.")
  static let serverLeft = Status(
    .unavailable, "The server is shutting down. Try again in a moment.")
  static let deadlineWhileWaiting = Status(
    .deadlineExceeded, "The server did not answer in time. Check the network, then try again.")
  static let tooManyWaiting = Status(
    .resourceExhausted, "Too many calls are waiting for the server. Try again in a moment.")
}
