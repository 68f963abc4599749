// SPDX-License-Identifier: Apache-2.0
// Test support: the lanes of a daemon on a database, without connections of devices.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Dispatch
import Testing

@testable import AtrestServer

/// A daemon's storage on a test's database. It hears no other daemon.
struct PostgresDaemon {
  let world = World()
  let backend: PostgresBackend
  let sync: SyncService
  let devices: DevicesService

  init(
    _ database: PostgresDatabase, writers: Int = 1, readers: Int = 1,
    session: PostgresSession = PostgresSession()
  ) async throws {
    var lanes = PostgresQueue.Lanes()
    (lanes.writers, lanes.readers) = (writers, readers)
    backend = try await PostgresBackend.open(
      PostgresAddress(parsing: database.url), lanes: lanes, session: session,
      environment: world.environment, logger: quiet)
    sync = SyncService(
      queue: backend.queue, registry: backend.registry, environment: world.environment)
    devices = DevicesService(
      queue: backend.queue, registry: backend.registry, environment: world.environment,
      logger: quiet)
  }

  /// A device that `SyncStore.makeDevice` made, as a call of it is authenticated.
  func session(_ replica: ReplicaID, secret: UInt8 = 1) async throws -> DeviceSession {
    let token = Token(replica: replica, secret: [UInt8](repeating: secret, count: 32))
    let answer = await withCheckedContinuation { done in
      backend.lookup.authenticate(token) { done.resume(returning: $0) }
    }
    guard case .device(let session) = try answer.get() else {
      throw StoreError.failed(reason: "the device has no access")
    }
    return session
  }

  func reconcile(
    _ session: DeviceSession, _ ranges: [KeyRange]
  ) async throws -> ReconcileResponse {
    let outcome = await outcome { later throws(Status) in
      try sync.reconcile(session, ReconcileRequest(ranges: ranges).encoded, answer: later)
    }
    return try ReconcileResponse(decoding: try outcome.reply)
  }

  func exchange(
    _ session: DeviceSession, _ request: ExchangeRequest
  ) async throws -> ExchangeResponse {
    let outcome = await outcome { later throws(Status) in
      try sync.exchange(session, request.encoded, answerLater: later)
    }
    return try ExchangeResponse(decoding: try outcome.reply)
  }

  /// Runs work as a job of this payer.
  func run<Value: Sendable>(
    by payer: Payer, use: StorageUse = .writes,
    _ work: @escaping @Sendable (Batch) throws(StoreError) -> Value
  ) async throws -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { done in
      let job = Operation(by: payer, use: use, work: work) { result, _ in
        done.resume(returning: result)
      }
      if !backend.queue.submit(job) { done.resume(returning: .failure(.closed)) }
    }
    return try result.get()
  }

  /// Submits jobs while the lane of writers is busy, so that they share a transaction.
  func runTogether<Value: Sendable>(
    _ accounts: [AccountID],
    _ work: @escaping @Sendable (AccountID, Batch) throws(StoreError) -> Value
  ) async throws -> [AccountID: Result<Value, StoreError>] {
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    let blocker = Operation(by: .unauthenticated, use: .writes) { _ throws(StoreError) in
      entered.note(())
      release.wait()
    } completion: { _, _ in
    }
    try #require(backend.queue.submit(blocker))
    try await entered.next()
    let results = Recorder<(AccountID, Result<Value, StoreError>)>()
    for account in accounts {
      let job = Operation(by: .account(account), use: .writes) { batch throws(StoreError) in
        try work(account, batch)
      } completion: { result, _ in
        results.note((account, result))
      }
      #expect(backend.queue.submit(job))
    }
    release.signal()
    var found: [AccountID: Result<Value, StoreError>] = [:]
    for _ in accounts {
      let (account, result) = try await results.next()
      found[account] = result
    }
    return found
  }

  func stop() async { await backend.queue.close() }
}
