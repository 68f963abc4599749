// SPDX-License-Identifier: Apache-2.0
// A sync's transport over simulated connections, for tasks and for callbacks.

import AtrestClient
import AtrestHTTP2
import AtrestReplication
import AtrestSync
import AtrestWire

/// A device process's transport to the server. Uses one connection, opened on demand and reopened
/// after it broke.
final class SimulatedTransport: SyncTransport, @unchecked Sendable {
  // Sendable: a simulation has one thread.

  static let callTimeout = Duration.seconds(30)

  private let world: World
  private let device: Device
  private var chance: Chance
  private var token: String?
  private var wire: Wire?
  private var isClosed = false
  private var waiting: [Int: Wire.Completion] = [:]
  private var started: [Int: (wire: Wire, id: CallID)] = [:]
  private var lastCall = 0

  init(_ world: World, _ device: Device, _ chance: Chance, token: String?) {
    self.world = world
    self.device = device
    self.chance = chance
    self.token = token
  }

  func use(_ credential: String) { token = credential }

  // MARK: For callbacks

  private typealias Reply<Value> = Result<Value, SyncError>

  /// Sends a request of a sync. The completion is called once, now or later.
  func send(
    _ request: SyncRequest, _ completion: @escaping (Result<SyncAnswer, SyncError>) -> Void
  ) {
    switch request {
    case .exchange(let request): _ = exchange(request) { completion($0.map { .exchange($0) }) }
    case .reconcile(let request): _ = reconcile(request) { completion($0.map { .reconcile($0) }) }
    case .renew(let request): _ = renew(request) { completion($0.map { .renew($0) }) }
    }
  }

  /// Opens a stream.
  ///
  /// - Returns: The stream, and the call's number.
  func open(_ request: WatchRequest) -> (stream: SimulatedStream, call: Int) {
    let stream = SimulatedStream()
    lastCall += 1
    let call = lastCall
    let reader = { [self] (message: [UInt8]) in
      world.count(.watchEvents)
      do { stream.add(try WatchResponse(decoding: message)) } catch {
        stream.end(.badAnswer("\(error)"))
        giveUp(call)
      }
    }
    begin(call, Method.Sync.watch, request.encoded, reader: reader) { result in
      switch result {
      case .success: stream.end(nil)
      case .failure(let status): stream.end(SyncError(status))
      }
    }
    return (stream, call)
  }

  private func exchange(
    _ request: ExchangeRequest, _ completion: @escaping (Reply<ExchangeResponse>) -> Void
  ) -> Int {
    begin(Method.Sync.exchange, request) { [self] (result: Reply<ExchangeResponse>) in
      if case .success(let answer) = result { note(answer, to: request) }
      completion(result)
    }
  }

  private func reconcile(
    _ request: ReconcileRequest, _ completion: @escaping (Reply<ReconcileResponse>) -> Void
  ) -> Int {
    world.count(.comparisons)
    return begin(Method.Sync.reconcile, request, completion)
  }

  private func renew(
    _ request: RenewRequest, _ completion: @escaping (Reply<PairResponse>) -> Void
  ) -> Int {
    world.count(.renewals)
    if !device.wasCopied {
      world.broke("device \(device.index) was never copied nor put back, and takes a new identity")
    }
    device.process?.mayRestamp = true
    return begin(Method.Devices.renew, request, completion)
  }

  // MARK: For tasks

  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
    try await waiting { exchange(request, $0) }
  }

  func reconcile(_ request: ReconcileRequest) async throws(SyncError) -> ReconcileResponse {
    try await waiting { reconcile(request, $0) }
  }

  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
    try await waiting { renew(request, $0) }
  }

  func pair(_ request: PairRequest) async throws(SyncError) -> PairResponse {
    try await waiting { begin(Method.Devices.pair, request, $0) }
  }

  func watch(
    _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    let (stream, call) = open(request)
    defer { stream.close() }
    func next(_ reader: @escaping SimulatedStream.Reader) -> Int {
      stream.next(reader)
      return call
    }
    while let news = try await waiting(next) {
      guard try await event(news) else { return giveUp(call) }
    }
  }

  /// Waits for a completion. Cancelling the task gives the call up.
  ///
  /// - Parameter begin: Gets the completion, and returns the call's number.
  private func waiting<Value: Sendable>(
    _ begin: (@escaping (Reply<Value>) -> Void) -> Int
  ) async throws(SyncError) -> Value {
    nonisolated(unsafe) var call = 0
    let result: Reply<Value> = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        call = begin { continuation.resume(returning: $0) }
      }
    } onCancel: {
      world.scheduler.after(0) { self.giveUp(call) }
    }
    return try result.get()
  }

  // MARK: What the oracle is told

  /// Reports acknowledged offers to the oracle. Only responses acknowledge.
  private func note(_ answer: ExchangeResponse, to request: ExchangeRequest) {
    let reasons = Dictionary(answer.refusals.map { ($0.index, $0.reason) }) { first, _ in first }
    if reasons.values.contains(.clockSkew) { device.process?.mayRestamp = true }
    for (index, bytes) in request.offers.enumerated() {
      let number = request.segment?.numbers[index] ?? 0
      // A server that judged an unheard request repeats the verdicts of that time.
      if reasons[index] != nil {
        device.refused.insert(RefusedOffer(number: number, bytes: bytes))
        if let offer = try? Offer(decoding: bytes) { device.account.oracle.noteRefused(offer) }
      }
      guard isJudged(index, answer, request), let offer = try? Offer(decoding: bytes)
      else { continue }
      let key = offer.record.key
      switch reasons[index] {
      // Once one process has settled the number, the server forgets the verdict it gave to another.
      case nil where device.refused.contains(RefusedOffer(number: number, bytes: bytes)): break
      case nil:
        device.account.acknowledged.note(offer.record)
        if device.overQuota.remove(key) != nil { world.count(.quotaTaken) }
      case .quota:
        device.overQuota.insert(key)
        world.count(.quotaRefusals)
      default: break
      }
    }
  }

  /// Whether a response contains a verdict on an offer: the server's position in the device's own
  /// outbox is at or after it.
  private func isJudged(
    _ index: Int, _ answer: ExchangeResponse, _ request: ExchangeRequest
  ) -> Bool {
    guard let segment = request.segment else { return true }
    guard let position = answer.takenThrough, segment.follows(position) else { return false }
    return segment.numbers[index] <= position.number
  }

  // MARK: Calls

  /// Sends an old request again, as a proxy might. Nobody waits for the response.
  func replay(_ request: RecordedRequest) {
    guard let wire = connected() else { return }
    _ = wire.call(request.path, request.metadata, request.body, timeout: Self.callTimeout) { _ in
      wire.close()
    }
  }

  /// Closes the connection in good order. Later calls fail.
  func close() {
    isClosed = true
    wire?.close()
    failAll(Status(.unavailable, "The connection was closed."))
  }

  /// The machine is gone.
  func die() {
    isClosed = true
    wire?.deviceDied()
    failAll(Status(.cancelled, "The machine ended."))
  }

  /// Gives all calls up.
  func abandon() {
    for call in waiting.keys.sorted() { giveUp(call) }
  }

  private func begin<Request: WireMessage, Response: WireMessage>(
    _ path: String, _ request: Request, _ completion: @escaping (Reply<Response>) -> Void
  ) -> Int {
    lastCall += 1
    let call = lastCall
    begin(call, path, request.encoded) { result in
      completion(
        Result { () throws(SyncError) in
          let bytes = try result.mapError { SyncError($0) }.get()
          do { return try Response(decoding: bytes) } catch { throw .badAnswer("\(error)") }
        })
    }
    return call
  }

  private func begin(
    _ call: Int, _ path: String, _ body: [UInt8], reader: (([UInt8]) -> Void)? = nil,
    _ completion: @escaping Wire.Completion
  ) {
    waiting[call] = completion
    guard !isClosed else { return finish(call, .failure(Status(.unavailable, "It is closed."))) }
    if !world.nodes.isEmpty, started.isEmpty, chance.oneIn(2) {
      // A balancer sends each call where it likes.
      wire?.close()
      wire = nil
    }
    if let wire, wire.isUsable { return start(call, path, body, reader, on: wire) }
    let delay = chance.pick(1...max(1, device.link.latency))
    world.scheduler.after(Int64(delay)) { [self] in
      guard waiting[call] != nil else { return }
      if let wire, wire.isUsable { return start(call, path, body, reader, on: wire) }
      guard let wire = connected() else {
        // Refused at once, or unheard until the connect timeout.
        let wait: Int64 = device.link.carriesUp && device.link.carriesDown ? 1_000 : 10_000_000
        return world.scheduler.after(wait) {
          self.finish(call, .failure(Status(.unavailable, "There is no connection.")))
        }
      }
      self.wire = wire
      start(call, path, body, reader, on: wire)
    }
  }

  private func connected() -> Wire? {
    guard !isClosed, device.link.carriesUp, device.link.carriesDown,
      let server = world.nodes.isEmpty ? world.server : world.anyNode(chance.next()),
      server.isAlive
    else { return nil }
    return Wire(world, device.link, server, Chance(chance.next()))
  }

  private func start(
    _ call: Int, _ path: String, _ body: [UInt8], _ reader: (([UInt8]) -> Void)?, on wire: Wire
  ) {
    var metadata = Metadata()
    if let token { metadata.add("authorization", "Bearer \(token)") }
    if path == Method.Sync.exchange {
      device.sent(RecordedRequest(path: path, metadata: metadata, body: body))
    }
    let timeout = reader == nil ? Self.callTimeout : nil
    let id = wire.call(path, metadata, body, timeout: timeout, reader: reader) { [self] in
      finish(call, $0)
    }
    if let id, waiting[call] != nil { started[call] = (wire, id) }
  }

  private func giveUp(_ call: Int) {
    if let (wire, id) = started[call] { wire.cancel(id) }
    finish(call, .failure(Status(.cancelled, "The caller gave up.")))
  }

  private func failAll(_ status: Status) {
    for call in waiting.keys.sorted() { finish(call, .failure(status)) }
  }

  private func finish(_ call: Int, _ result: Result<[UInt8], Status>) {
    started[call] = nil
    waiting.removeValue(forKey: call)?(result)
  }
}

/// A sent request.
struct RecordedRequest {
  var path: String
  var metadata: Metadata
  var body: [UInt8]
}

extension SyncError {
  fileprivate init(_ status: Status) {
    self.init(
      CallFailure.status(
        status.code.rawValue, message: status.message,
        details: try? ErrorDetails(decoding: status.details)))
  }
}
