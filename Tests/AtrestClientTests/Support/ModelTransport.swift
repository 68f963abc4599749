// SPDX-License-Identifier: Apache-2.0
// A transport to a model server that tests can cut, with traffic counters.

import AtrestClient
import AtrestReplication
import AtrestSync
import AtrestWire
import Synchronization

/// A transport that only exchanges. Tests add the calls they need.
protocol TestTransport: SyncTransport {}

extension TestTransport {
  func use(_ credential: String) throws(SyncError) {}

  func reconcile(
    _ request: ReconcileRequest
  ) async throws(SyncError) -> ReconcileResponse {
    throw .refused("this model compares nothing")
  }

  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
    throw .refused("this model renews nothing")
  }

  func watch(
    _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    throw .refused("this model has no stream")
  }
}

/// A transport to a model server that can be cut.
struct ModelTransport: TestTransport {
  enum Cut: CaseIterable {
    case beforeServer
    case afterServer
  }

  /// Reconciliation rounds and the bytes of their messages.
  struct Traffic {
    var rounds = 0
    var bytes = 0
  }

  let server: ModelServer
  /// Called with the number of each call, from 0.
  var cut: @Sendable (Int) -> Cut? = { _ in nil }
  /// Runs before the server receives the request.
  var before: @Sendable (Int) async throws -> Void = { _ in }
  /// Runs after the server responded and before the replica receives the response.
  var meanwhile: @Sendable (Int) throws -> Void = { _ in }
  let calls = Counter()
  let credential = Shared("")
  let traffic = Shared(Traffic())

  init(server: ModelServer) { self.server = server }

  func use(_ credential: String) throws(SyncError) {
    self.credential.value = credential
  }

  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
    do { try await before(calls.count) } catch { throw .refused("\(error)") }
    return try call { try server.exchange(through(request), as: credential.value) }
  }

  func reconcile(
    _ request: ReconcileRequest
  ) async throws(SyncError) -> ReconcileResponse {
    try call {
      let answer = try server.reconcile(through(request))
      traffic.update {
        $0.rounds += 1
        $0.bytes += request.encoded.count + answer.encoded.count
      }
      return answer
    }
  }

  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
    try call { server.renew(try through(request)) }
  }

  private func call<Answer: WireMessage>(
    _ body: () throws -> Answer
  ) throws(SyncError) -> Answer {
    let call = calls.next()
    let cut = cut(call)
    if cut == .beforeServer { throw .unreachable("cut") }
    do {
      let answer = try body()
      try meanwhile(call)
      if cut == .afterServer { throw SyncError.unreachable("cut") }
      return try through(answer)
    } catch let error as SyncError {
      throw error
    } catch {
      throw .badAnswer("\(error)")
    }
  }

  /// Encodes and decodes a message, as the wire does.
  private func through<Message: WireMessage>(_ message: Message) throws -> Message {
    try Message(decoding: message.encoded)
  }
}

final class Counter: Sendable {
  private let value = Mutex(0)
  func next() -> Int {
    value.withLock { value in
      defer { value += 1 }
      return value
    }
  }
  var count: Int { value.withLock { $0 } }
}

/// A value shared by tasks.
final class Shared<Value: Sendable>: Sendable {
  private let stored: Mutex<Value>
  init(_ value: Value) { stored = Mutex(value) }
  var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
  func update(_ body: (inout Value) -> Void) { stored.withLock { body(&$0) } }
}
