// SPDX-License-Identifier: Apache-2.0
// A server on a test's database, as far as storage goes: no sockets, no background work.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

/// Daemons of one test share its world: what they draw is different.
final class ListeningDaemon: Sendable {
  let backend: PostgresBackend
  let sync: SyncService
  let devices: DevicesService
  let admin: AdminService
  let heard = Signal<StoreNews>()
  let changes = Runs()
  private let environment: Environment

  /// - Parameter listens: Whether it hears the others.
  init(_ database: PostgresDatabase, _ world: World, listens: Bool = true) async throws {
    environment = world.environment
    var lanes = PostgresQueue.Lanes()
    (lanes.writers, lanes.readers) = (2, 1)
    backend = try await PostgresBackend.open(
      PostgresAddress(parsing: database.url), lanes: lanes, environment: environment, logger: quiet)
    sync = SyncService(
      queue: backend.queue, registry: backend.registry, environment: environment)
    devices = DevicesService(
      queue: backend.queue, registry: backend.registry, environment: environment, logger: quiet)
    admin = AdminService(
      queue: backend.queue, backups: nil, registry: backend.registry, devices: devices,
      environment: environment, address: { "" })
    guard listens else { return }
    await backend.start { [heard] in
      heard.send($0)
    } onChange: { [changes] in
      changes.note()
    }
    try await waitUntil { backend.isUsable && changes.count > 0 }
  }

  /// A device that calls, looked up in the store.
  func session(_ replica: ReplicaID) async throws -> DeviceSession {
    let token = Token(replica: replica, secret: [UInt8](repeating: 1, count: 32))
    let found = try await withCheckedThrowingContinuation { done in
      backend.lookup.authenticate(token) { done.resume(with: $0) }
    }
    return try #require(found.device)
  }

  func exchange(_ session: DeviceSession, _ request: ExchangeRequest) async throws
    -> ExchangeResponse
  {
    let outcome = await outcome { later throws(Status) in
      try sync.exchange(session, request.encoded, answerLater: later)
    }
    return try ExchangeResponse(decoding: try outcome.reply)
  }

  func watch(_ session: DeviceSession) throws -> RecordingSink {
    let sink = RecordingSink()
    _ = try sync.watch(session, WatchRequest(cursor: nil).encoded, sink: sink)
    return sink
  }

  /// What a device is answered that shows a code.
  func pair(_ code: String, from peer: [[UInt8]]) async -> Status? {
    let bytes = PairRequest(code: code, deviceName: "laptop").encoded
    return await outcome { later throws(Status) in
      try devices.pair(bytes, from: peer, answer: later)
    }.failure
  }

  func stop() async { await backend.queue.close() }
}
