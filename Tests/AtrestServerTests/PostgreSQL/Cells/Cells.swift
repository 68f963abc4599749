// SPDX-License-Identifier: Apache-2.0
// Test support for accounts that move: cells, each a database with two daemons, and devices that
// find their account.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Synchronization
import Testing

@testable import AtrestServer

extension Postgres {
  /// Cells of accounts. One test by itself.
  @Suite(.serialized, .timeLimit(.minutes(20))) struct Cells {}
}

/// A cell's number in a test.
func cell(_ number: Int) throws -> CellNumber { try #require(CellNumber(number)) }

/// A daemon of a cell, as far as devices reach it.
struct CellNode: Sendable {
  let backend: PostgresBackend
  let sync: SyncService
  private let environment: Environment

  init(_ url: String, _ number: CellNumber, _ environment: Environment) async throws {
    var lanes = PostgresQueue.Lanes()
    (lanes.writers, lanes.readers, lanes.shards) = (1, 1, 1)
    backend = try await PostgresBackend.open(
      PostgresAddress(parsing: url), cell: number, lanes: lanes, limits: .patient,
      environment: environment, logger: quiet)
    await backend.start(hear: { _ in }, onChange: {})
    self.environment = environment
    sync = SyncService(
      queue: backend.queue, registry: backend.registry, environment: environment)
  }

  /// What a device is told at the door. It was never refused there: a server remembers that for two
  /// seconds, and no device is sent to a cell before its account is live there.
  func lookUp(
    _ replica: ReplicaID, secret: UInt8 = 1
  ) async -> Result<DeviceLookup.Outcome, StoreError> {
    let token = Token(replica: replica, secret: [UInt8](repeating: secret, count: 32))
    let lookup = DeviceLookup(
      queue: backend.queue, registry: backend.registry, environment: environment)
    return await withCheckedContinuation { done in
      lookup.authenticate(token) { done.resume(returning: $0) }
    }
  }

  /// Calls as the router does: by what is remembered, or else by the store.
  func session(
    _ replica: ReplicaID, secret: UInt8 = 1
  ) async -> Result<DeviceLookup.Outcome, StoreError> {
    let now = WallTime(milliseconds: noon)
    switch backend.registry.authenticate(credentials(replica, secret: secret), at: now) {
    case .device(let session): return .success(.device(session))
    case .refused: return .success(.refused)
    case .unknown: return await lookUp(replica, secret: secret)
    }
  }

  func exchange(
    _ session: DeviceSession, _ request: ExchangeRequest
  ) async throws(Status) -> ExchangeResponse {
    let outcome = await outcome { later throws(Status) in
      try sync.exchange(session, request.encoded, answerLater: later)
    }
    guard case .reply(let bytes) = outcome else {
      throw outcome.failure ?? Status(.unknown, "no reply")
    }
    do { return try ExchangeResponse(decoding: bytes) } catch { throw Status(.unknown, "bytes") }
  }

  /// Runs a job that a test makes, and returns what became of it.
  func run<Value: Sendable>(
    by payer: Payer, _ use: StorageUse,
    _ work: @escaping @Sendable (Batch) throws(StoreError) -> Value
  ) async -> Result<Value, StoreError> {
    await withCheckedContinuation { done in
      let job = Operation(by: payer, use: use, work: work) { result, _ in
        done.resume(returning: result)
      }
      if !backend.queue.submit(job) { done.resume(returning: .failure(.closed)) }
    }
  }
}

/// A cell with two daemons.
struct TestCell: Sendable {
  let number: CellNumber
  let url: String
  let nodes: [CellNode]
  private let folder: Folder

  var backend: PostgresBackend { nodes[0].backend }

  init(_ number: Int, _ environment: Environment) async throws {
    let database = try PostgresDatabase()
    let connection = try await database.open(PostgresSession())
    try await connection.run("UPDATE atrest.meta SET cell = $1", .int8(Int64(number)))
    await database.stop()
    self.number = try cell(number)
    (url, folder) = (database.url, database.folder)
    nodes = [
      try await CellNode(url, self.number, environment),
      try await CellNode(url, self.number, environment),
    ]
  }

  func openStore() throws -> PostgresStore {
    try PostgresStore.open(PostgresAddress(parsing: url), limits: .patient) { 76 }
  }

  /// Runs SQL by itself.
  @discardableResult
  func sql(_ sql: String, _ parameters: PostgresValue...) async throws -> [[PostgresValue]] {
    let connection = try await backend.openSession()
    let result = try await connection.run(PostgresBatch([PostgresStatement(sql, parameters)]))
    await connection.close()
    return result.first?.rows ?? []
  }

  /// Everything in the cell that a move could change.
  func dump() async throws -> [String: [[PostgresValue]]] {
    var tables: [String: [[PostgresValue]]] = [:]
    for table in [
      "account", "device", "record", "feed_commit", "purchase", "event", "moved", "arrival",
      "invitation",
    ] {
      tables[table] = try await sql("SELECT t::text FROM atrest.\(table) AS t ORDER BY 1")
    }
    return tables
  }

  /// The digest of an account, under a number that does not depend on the cell.
  func digest(_ account: AccountID) async throws -> [UInt8] {
    let connection = try await backend.openSession()
    let rows = MovedRows(
      of: account, shownAs: AccountID(rawValue: 1), on: connection, ArchivePages())
    let digest = try await rows.digest()
    await connection.close()
    return digest
  }

  func account(_ name: String) async throws -> AccountID? {
    let rows = try await sql("SELECT id FROM atrest.account WHERE name = $1", .text(name))
    return rows.first?.first?.int8.map { AccountID(rawValue: $0) }
  }

  func check() async throws -> ArchiveReport {
    let archive = try await PostgresArchive.open(
      PostgresAddress(parsing: url), for: .check, limits: .patient
    ) { 76 }
    let report = try await ArchiveReport.check(archive)
    await archive.close()
    return report
  }

  func stop() async {
    for node in nodes { await node.backend.queue.close() }
  }
}

/// Two cells, the first of which holds some of everything: see `FilledStore`.
struct TwoCells: Sendable {
  let world = World()
  let one: TestCell
  let two: TestCell
  let kim: AccountID
  let sam: AccountID

  init() async throws {
    one = try await TestCell(1, world.environment)
    two = try await TestCell(2, world.environment)
    let store = try one.openStore()
    let filled = try FilledStore(store)
    store.close()
    (kim, sam) = (filled.kim, filled.sam)
  }

  /// Small pages, so that a few rows fill several.
  static let pages: ArchivePages = {
    var pages = ArchivePages()
    (pages.devices, pages.commits, pages.records, pages.events) = (2, 3, 4, 2)
    pages.bytes = 600
    return pages
  }()

  func move(
    from source: TestCell? = nil, to target: TestCell? = nil,
    step: @escaping @Sendable (AccountMove.Step) throws(StoreError) -> Void = { _ in }
  ) -> AccountMove {
    AccountMove(
      from: (source ?? one).backend, to: (target ?? two).backend, pages: Self.pages, step: step)
  }

  func stop() async {
    await one.stop()
    await two.stop()
  }
}

extension Result where Success == DeviceLookup.Outcome, Failure == StoreError {
  /// The device that calls, or nil.
  var device: DeviceSession? {
    if case .success(.device(let session)) = self { session } else { nil }
  }

  var destination: CellNumber? {
    if case .success(.moved(let cell)) = self { cell } else { nil }
  }

  var isRefused: Bool {
    if case .success(.refused) = self { true } else { false }
  }

  var error: StoreError? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension ArchiveReport {
  /// Whether nothing is wrong but with devices, two of which `FilledStore` makes without tokens.
  var isSound: Bool {
    problems.allSatisfy { if case .device = $0.kind { true } else { false } }
  }
}
