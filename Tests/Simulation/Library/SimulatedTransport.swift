// SPDX-License-Identifier: Apache-2.0
// The sync engine's way to the server, over simulated connections.

import AtrestClient
import Replication
import SyncProtocol
import Transport

/// One device process's way to the server. One connection, opened when first needed and again after it broke.
final class SimulatedTransport: SyncTransport, @unchecked Sendable {
  // Sendable because a simulation has one thread.

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

  func use(_ credential: String) throws(SyncError) { token = credential }

  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
    try await call(Method.exchange, request)
  }

  func reconcile(_ request: ReconcileRequest) async throws(SyncError) -> ReconcileResponse {
    world.count(.comparisons)
    return try await call(Method.reconcile, request)
  }

  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
    world.count(.renewals)
    return try await call(Method.renew, request)
  }

  func watch(
    _ request: WatchRequest, event: @Sendable (WatchEvent) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    throw .refused("the simulation has no stream")
  }

  func pair(_ request: PairRequest) async throws(SyncError) -> PairResponse {
    try await call(Method.pair, request)
  }

  /// Sends an old request once more, as a proxy might; nobody waits for the answer.
  func replay(_ request: RecordedRequest) {
    guard let wire = connected() else { return }
    _ = wire.call(request.path, request.metadata, request.body, timeout: Self.callTimeout) { _ in
      wire.close()
    }
  }

  /// Closes the connection in good order. Calls fail from now on.
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

  // MARK: Calls

  private func call<Request: WireMessage, Response: WireMessage>(
    _ path: String, _ request: Request
  ) async throws(SyncError) -> Response {
    let bytes = try await unary(path, request.encoded)
    do { return try Response(decoding: bytes) } catch { throw .badAnswer("\(error)") }
  }

  private func unary(_ path: String, _ body: [UInt8]) async throws(SyncError) -> [UInt8] {
    lastCall += 1
    let call = lastCall
    let result: Result<[UInt8], Status> = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        begin(call, path, body) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      world.scheduler.after(0) { self.giveUp(call) }
    }
    do { return try result.get() } catch { throw SyncError(status: error) }
  }

  private func begin(
    _ call: Int, _ path: String, _ body: [UInt8], _ completion: @escaping Wire.Completion
  ) {
    waiting[call] = completion
    guard !isClosed else { return finish(call, .failure(Status(.unavailable, "It is closed."))) }
    if let wire, wire.isUsable { return start(call, path, body, on: wire) }
    let delay = chance.pick(1...max(1, device.link.latency))
    world.scheduler.after(Int64(delay)) { [self] in
      guard waiting[call] != nil else { return }
      if let wire, wire.isUsable { return start(call, path, body, on: wire) }
      guard let wire = connected() else {
        // Refused at once, or unheard until the time for connecting is over.
        let wait: Int64 = device.link.carriesUp && device.link.carriesDown ? 1_000 : 10_000_000
        return world.scheduler.after(wait) {
          self.finish(call, .failure(Status(.unavailable, "There is no connection.")))
        }
      }
      self.wire = wire
      start(call, path, body, on: wire)
    }
  }

  private func connected() -> Wire? {
    guard !isClosed, device.link.carriesUp, device.link.carriesDown,
      let server = world.server, server.isAlive
    else { return nil }
    return Wire(world, device.link, server, Chance(chance.next()))
  }

  private func start(_ call: Int, _ path: String, _ body: [UInt8], on wire: Wire) {
    var metadata = Metadata()
    if let token { metadata.add("authorization", "Bearer \(token)") }
    if path == Method.exchange {
      device.sent(RecordedRequest(path: path, metadata: metadata, body: body))
    }
    let id = wire.call(path, metadata, body, timeout: Self.callTimeout) { [self] result in
      finish(call, result)
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

/// A request as it was sent.
struct RecordedRequest {
  var path: String
  var metadata: Metadata
  var body: [UInt8]
}
