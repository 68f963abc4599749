// SPDX-License-Identifier: Apache-2.0
// Connects one server HTTP/2 connection to its socket and the router.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import AtrestTLS

/// Drives a `ServerConnection`: bytes in, calls out, responses back. Confined to one shard.
final class ServerHandler: EncryptedHandler {
  let context: ServerShard
  private let peer: SocketAddress
  private let isEncrypted: Bool
  /// Nil before `opened`: under TLS the handshake comes first, with its own timeouts.
  private var connection: ServerConnection?
  private var owner: (any ByteStreamOwner)?
  private var calls: [CallID: CallState] = [:]
  /// Calls whose authorization is not decided yet.
  private var undecided: Set<CallID> = []
  /// The method and the start of each call, if somebody observes them.
  private var observed: [CallID: (path: String?, start: Instant)] = [:]
  private var isDraining = false
  /// The grants used on this connection.
  private var grants: [ObjectIdentifier: CallerGrant] = [:]
  private var hasToldHandshake = false
  /// Whether an authenticated call was made on this connection.
  private(set) var isAuthenticated = false
  /// Charged for bytes that the peer makes this connection buffer.
  let holder: Balance
  /// Bytes handed to the socket that may still wait there. Unchecked: the exclusivity check costs
  /// more than the update, and nothing that a change calls re-enters.
  @exclusivity(unchecked) private var output: Charge
  /// The bytes buffered when last checked, and since when they have only grown.
  private(set) var chargedBytes = 0
  private(set) var chargedSince: Instant?
  /// Whether the connection is about to be closed for memory pressure.
  private(set) var isClosingForMemory = false

  init(context: ServerShard, peer: SocketAddress, isEncrypted: Bool) {
    self.context = context
    self.peer = peer
    self.isEncrypted = isEncrypted
    holder = Balance(under: context.holder)
    output = Charge(at: holder)
    context.add(self)
  }

  var shard: Shard { context.shard }

  // MARK: ByteStreamHandler

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    self.owner = owner
    let connection = ServerConnection(
      limits: context.configuration.limits, codecs: context.codecs,
      site: context.configuration.site, now: now, holder: holder, overhead: context.overhead,
      payer: owner.slot?.payer)
    connection.isAuthenticated = isAuthenticated
    self.connection = connection
    if isDraining { connection.beginDrain(at: now) }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard let connection else { return }
    handle(connection.receive(bytes, at: now))
    if !hasToldHandshake, connection.isHandshaken {
      hasToldHandshake = true
      owner?.slot?.handshaken()
    }
    noteCharged()
  }

  func endOfInput(at now: Instant) {
    guard let connection else { return }
    handle(connection.peerClosed(at: now))
  }

  func appendOutput(to buffer: inout [UInt8]) {
    guard let connection else { return }
    let start = buffer.count
    // This is called when the kernel has taken all earlier output.
    defer {
      output.change(to: buffer.count - start)
      noteCharged()
    }
    repeat {
      connection.appendOutput(to: &buffer)
      // Sent output frees queue space, which lets streams queue more.
    } while handle(connection.pendingEvents)
      && buffer.count < context.configuration.limits.outputHighWaterBytes
  }

  var isFinished: Bool { connection?.isFinished ?? false }
  var acceptsInput: Bool { connection?.acceptsInput ?? true }
  var nextDeadline: Instant? { connection?.nextDeadline }

  func deadlineReached(at now: Instant) {
    guard let connection else { return }
    handle(connection.deadlineReached(at: now))
    noteCharged()
  }

  func closed(_ reason: CloseReason, at now: Instant) {
    if let connection { handle(connection.peerClosed(at: now)) }
    connection = nil
    owner = nil
    output.change(to: 0)
    noteCharged()
    for grant in grants.values { grant.remove(self) }
    grants = [:]
    context.remove(self)
  }

  // MARK: EncryptedHandler

  func handshakeBegan(on owner: any ByteStreamOwner) {
    // A drain must be able to end a stalled handshake.
    self.owner = owner
  }

  func tlsFailed(_ error: TLSError, isEstablished: Bool) {
    if !isEstablished { context.counters.handshakeFailed() }
  }

  // MARK: Events

  /// - Returns: Whether there were any.
  @discardableResult
  private func handle(_ events: ServerEvents) -> Bool {
    var any = false
    for event in events {
      any = true
      switch event {
      case .started(let id, let head):
        start(id, head)
      case .message(let id, let bytes):
        calls[id]?.receive(bytes)
      case .endOfRequest(let id):
        calls[id]?.endOfRequest()
      case .writable(let id):
        calls[id]?.writable()
      case .cancelled(let id, let reason):
        if undecided.remove(id) != nil { ended(id, reason.code) }
        guard let call = calls.removeValue(forKey: id) else { continue }
        ended(id, reason.code)
        call.wasCancelled()
      }
    }
    return any
  }

  private func start(_ id: CallID, _ request: RequestHead) {
    context.counters.started()
    let route = context.routes[request.path]
    if context.configuration.onCallEnd != nil {
      observed[id] = (route.map { _ in request.path }, MonotonicClock.now())
    }
    guard let route else { return finish(id, .unknownMethod) }
    guard !route.takesStream || !request.format.isWeb else { return finish(id, .notInBrowsers) }
    let head = CallHead(request: request, peer: peer, isEncrypted: isEncrypted)
    if let limit = route.maxMessageBytes { connection?.limitMessages(of: id, to: limit) }
    switch route.start(id, head, self) {
    case .call(let call, let proof): begin(call, proof)
    case .refused(let status): finish(id, status.code == .ok ? .abandoned : status)
    case .later(let decide):
      undecided.insert(id)
      connection?.hold(id)
      decide { self.decided(id, $0) }
    }
  }

  private func begin(_ call: CallState, _ proof: RPCRouter.Proof) {
    if let refusal = refusal(of: call, proof) { return finish(call.id, refusal) }
    calls[call.id] = call
    call.begin()
  }

  /// The call may have ended meanwhile.
  private func decided(_ id: CallID, _ start: RPCRouter.Start) {
    guard undecided.remove(id) != nil else { return }
    switch start {
    case .call(let call, let proof): begin(call, proof)
    case .refused(let status): finish(id, status.code == .ok ? .abandoned : status)
    case .later: finish(id, .abandoned)
    }
    // Its handler may have paused it at once.
    if let connection, calls[id]?.isPaused != true { handle(connection.goOn(id)) }
    noteCharged()
    owner?.needsFlush()
  }

  // MARK: Called by calls

  func send(
    _ message: [UInt8], on id: CallID, _ compression: MessageCompression?
  ) -> SendResult {
    guard let connection else { return .gone }
    owner?.needsFlush()
    return connection.send(message, on: id, compression: compression)
  }

  func setMetadata(_ metadata: Metadata, of id: CallID) {
    connection?.setMetadata(metadata, of: id)
  }

  func setCompression(_ compression: MessageCompression, of id: CallID) {
    connection?.setCompression(compression, of: id)
  }

  func isMessageCompressed(of id: CallID) -> Bool {
    connection?.isMessageCompressed(of: id) ?? false
  }

  func expectEnd(_ id: CallID, keptBytes: Int) { connection?.expectEnd(id, keptBytes: keptBytes) }

  func expectMessages(_ id: CallID) { connection?.expectMessages(id) }

  /// Messages that have been read already wait, too.
  func pauseReading(_ id: CallID) { connection?.hold(id) }

  func resumeReading(_ id: CallID) {
    guard let connection else { return }
    handle(connection.goOn(id))
    owner?.needsFlush()
  }

  func reply(_ message: [UInt8], to id: CallID) {
    calls[id] = nil
    let result = connection?.reply(message, to: id) ?? .gone
    ended(id, result == .queueFull ? .resourceExhausted : .ok)
    owner?.needsFlush()
  }

  func finish(_ id: CallID, _ status: Status) {
    calls[id] = nil
    ended(id, status.code)
    connection?.finish(id, status)
    owner?.needsFlush()
  }

  private func ended(_ id: CallID, _ code: StatusCode) {
    context.counters.ended(code)
    guard let observe = context.configuration.onCallEnd,
      let (path, start) = observed.removeValue(forKey: id)
    else { return }
    observe(
      EndedCall(path: path, code: code, duration: MonotonicClock.now().duration(since: start)))
  }

  /// The status sent for an error that a handler threw.
  func status(for error: any Error, path: String) -> Status {
    if let status = error as? Status, status.code != .ok { return status }
    context.configuration.onHandlerError?(path, error)
    return .unexpected
  }

  // MARK: Grants

  /// Why an authorized call is refused, if it is.
  private func refusal(of call: CallState, _ proof: RPCRouter.Proof) -> Status? {
    guard case .known(let grant) = proof else { return nil }
    if let grant {
      let key = ObjectIdentifier(grant)
      if grants[key] == nil {
        // The grant may have been revoked since the authorizer returned it.
        guard grant.add(self) else { return .grantRevoked }
        grants[key] = grant
      }
      guard call.count(on: grant, limit: context.configuration.maxCallsPerGrant) else {
        return .tooManyCalls
      }
      connection?.bill(call.id, to: grant.payer)
    }
    if !isAuthenticated {
      isAuthenticated = true
      connection?.isAuthenticated = true
      owner?.slot?.authenticated()
    }
    return nil
  }

  /// Ends the calls of a revoked grant after a grace, and the connection if no other grant uses it.
  func grantRevoked(_ grant: CallerGrant, _ status: Status) {
    let end = shard.now.advanced(by: CallerGrant.callGrace)
    shard.schedule(at: end) { [self] in
      for call in Array(calls.values) where call.isGranted(on: grant) {
        calls[call.id] = nil
        ended(call.id, status.code)
        connection?.abort(call.id, status)
        call.wasCancelled()
      }
      if grants.count == 1 { connection?.beginDrain(at: shard.now) }
      owner?.needsFlush()
    }
    shard.schedule(at: end.advanced(by: CallerGrant.connectionGrace)) { [self] in
      // Another caller may have made a call meanwhile.
      grants[ObjectIdentifier(grant)] = nil
      if grants.isEmpty { close() }
    }
  }

  // MARK: Memory

  /// Updates the buffered bytes and the time since which they grow.
  private func noteCharged() {
    let held = holder.chargedBytes
    guard held != chargedBytes else { return }
    let grew = held > chargedBytes
    chargedSince = held == 0 ? nil : grew ? chargedSince ?? shard.now : shard.now
    chargedBytes = held
    if grew { context.grew() }
  }

  /// Pays for this connection's memory in the end: the root of an authenticated caller or of the
  /// peer's address. Connections of one payer count together.
  var payer: Balance { (grants.first?.value.payer ?? owner?.slot?.payer ?? holder).root }

  /// Buffered bytes times their age, in byte nanoseconds. New bytes count as a millisecond old.
  func weight(at now: Instant) -> Double {
    guard let chargedSince else { return 0 }
    return Double(chargedBytes) * (1e6 + Double(now.nanoseconds - chargedSince.nanoseconds))
  }

  /// Closes the connection because it buffers too much for its peer.
  func closeForMemoryPressure() {
    isClosingForMemory = true
    close()
  }

  // MARK: Draining

  func beginDrain() {
    isDraining = true
    connection?.beginDrain(at: shard.now)
    owner?.needsFlush()
  }

  /// Ends the remaining calls after the drain grace.
  func endCalls() {
    for id in undecided { finish(id, .leaving) }
    undecided = []
    for call in Array(calls.values) {
      // The call's handler must be told, as if the peer had disconnected.
      finish(call.id, .leaving)
      call.wasCancelled()
    }
  }

  func close() { owner?.close() }
}

extension Cancellation {
  /// The status code that counts in the metrics.
  fileprivate var code: StatusCode {
    switch self {
    case .reset, .connectionLost, .stalled: .cancelled
    case .deadlineExceeded: .deadlineExceeded
    case .badRequest: .internal
    case .draining: .unavailable
    }
  }
}
