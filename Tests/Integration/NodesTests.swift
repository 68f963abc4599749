// SPDX-License-Identifier: Apache-2.0
// Several servers on one database of PostgreSQL, with real replicas.

import AtrestClient
import AtrestDomain
import AtrestHTTP2
import AtrestPostgreSQL
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestTestSupport
import AtrestWire
import Foundation
import Logging
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.serialized, .timeLimit(.minutes(20))) struct NodesTests {
  @Test("conflicting edits on two servers meet: the replicas agree, and nothing is lost")
  func conflicts() async throws {
    let nodes = try await TestNodes(2)
    let phone = try await nodes.device("phone", through: 0)
    let tablet = try await nodes.device("tablet", through: 1)
    let shared = try fast()
    try await phone.replica.save(shared)
    _ = try await phone.replica.sync()
    _ = try await tablet.replica.sync()
    var one = shared
    one.targetMinutes = 840
    var other = shared
    other.targetMinutes = 1080
    try await phone.replica.save(one)
    try await tablet.replica.save(other)
    for index in 0..<50 {
      try await phone.replica.save(try water(100 + index))
      try await tablet.replica.save(try water(300 + index))
    }
    async let a = phone.replica.sync()
    async let b = tablet.replica.sync()
    _ = try await (a, b)
    // One server may not have heard of the other's commit yet.
    try await until {
      for device in [phone, tablet] { _ = try await device.replica.sync() }
      return try phone.replica.digest() == tablet.replica.digest()
    }
    #expect(try await phone.replica.records(of: WaterEntry.self).count == 100)
    #expect(try await phone.replica.conflicts().count == 1)
    await nodes.stop()
  }

  @Test("a commit on one server is new on another at once, and known there to be nothing new after")
  func heads() async throws {
    let nodes = try await TestNodes(2)
    let phone = try await nodes.device("phone", through: 0)
    let tablet = try await nodes.device("tablet", through: 1)
    for round in 0..<20 {
      try await phone.replica.save(try water(100 + round))
      _ = try await phone.replica.sync()
      // It may not have been told yet, but it must not be told that there is nothing for long.
      try await until {
        _ = try await tablet.replica.sync()
        return try await tablet.replica.records(of: WaterEntry.self).count == round + 1
      }
    }
    #expect(try phone.replica.digest() == tablet.replica.digest())
    await nodes.stop()
  }

  @Test("a device that is revoked on one server loses its stream on another")
  func revoked() async throws {
    let nodes = try await TestNodes(2)
    let phone = try await nodes.device("phone", through: 0)
    let tablet = try await nodes.device("tablet", through: 1)
    _ = try await tablet.replica.sync()
    let ended = Task { try await tablet.replica.watch { _, _ in } }
    let other = try #require(try await phone.replica.devices().first { !$0.isCurrent })
    try await phone.replica.revoke(other.replica)
    await #expect(throws: SyncError.accessEnded) { try await ended.value }
    await #expect(throws: SyncError.accessEnded) { try await tablet.replica.sync() }
    await nodes.stop()
  }

  @Test("sessions that the database ends in the middle of everything cost nothing but a repetition")
  func brokenSessions() async throws {
    let nodes = try await TestNodes(2)
    let phone = try await nodes.device("phone", through: 0)
    let tablet = try await nodes.device("tablet", through: 1)
    for round in 0..<12 {
      try await phone.replica.save(try water(100 + round))
      try await tablet.replica.save(try water(500 + round))
      async let broken: Void = nodes.endSessions()
      _ = try? await phone.replica.sync()
      _ = try? await tablet.replica.sync()
      try await broken
    }
    try await until {
      for device in [phone, tablet, phone] { _ = try? await device.replica.sync() }
      return try phone.replica.digest() == tablet.replica.digest()
    }
    #expect(try await phone.replica.records(of: WaterEntry.self).count == 24)
    #expect(try await phone.replica.conflicts().isEmpty)
    await nodes.stop()
  }

  @Test("a database that is away when its only server starts is waited for, migrated, and served")
  func away() async throws {
    let nodes = try await TestNodes(1)
    // Of an older format, which no daemon may use while it is brought to this one.
    try await nodes.restart(order: [0], without: .sole, inFormat: PostgresSchema.version - 1)
    let empty = EmptyMessage().packed
    let status = await #expect(throws: Status.self) {
      _ = try await nodes.command(Method.Admin.listAccounts, empty, to: 0)
    }
    #expect(status?.code == .unavailable)
    try await nodes.letIn(.sole)
    try await until {
      (try? await nodes.command(Method.Admin.listAccounts, empty, to: 0)) != nil
    }
    let phone = try await nodes.device("phone", through: 0)
    try await phone.replica.save(try water(100))
    _ = try await phone.replica.sync()
    #expect(try phone.replica.pending().isEmpty)
    await nodes.stop()
  }

  @Test("a database that takes no writes is no store that serves, and it is again by itself")
  func silent() async throws {
    let nodes = try await TestNodes(1)
    let phone = try await nodes.device("phone", through: 0)
    let name = HealthCheckRequest(service: "").packed
    func isServing() async throws -> Bool {
      let channel = try GRPCChannel(to: .address(nodes.address(0)))
      let answer = try await channel.unary(Method.Health.check, name)
      await channel.close()
      return try HealthCheckResponse(unpacking: answer).state == .serving
    }
    try await until { try await isServing() }
    // Questions are answered, and no write is: as without the only synchronous standby.
    let held = try await nodes.holdWrites()
    try await phone.replica.save(try water(100))
    async let synced = phone.replica.sync()
    try await until { try await !isServing() }
    await held.rollBack()
    _ = try? await synced
    try await until { try await isServing() }
    _ = try await phone.replica.sync()
    #expect(try phone.replica.pending().isEmpty)
    await nodes.stop()
  }

  @Test("an older copy of the database is noticed; what devices hold comes back")
  func olderCopy() async throws {
    let nodes = try await TestNodes(1)
    let phone = try await nodes.device("phone", through: 0)
    let tablet = try await nodes.device("tablet", through: 0)
    try await phone.replica.save(try water(100))
    for device in [phone, tablet] { _ = try await device.replica.sync() }
    try await nodes.keepCopy()
    try await phone.replica.save(try water(200))
    for device in [phone, tablet] { _ = try await device.replica.sync() }
    try await nodes.restoreCopy()
    try await tablet.replica.save(try water(300))
    for device in [tablet, phone, tablet] { _ = try await device.replica.sync() }
    #expect(try phone.replica.digest() == tablet.replica.digest())
    #expect(try await phone.replica.records(of: WaterEntry.self).count == 3)
    await nodes.stop()
  }
}

/// Waits for something that servers tell each other. The suite's limit ends it.
func until(_ condition: () async throws -> Bool) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// Servers on one database of a test's own, or on one for each cell.
final class TestNodes: Sendable {
  private let folder: Folder
  private let database: String
  private let cells: [[CellNumber]]
  private let owner: PostgresConnection
  private let shard: Shard
  private let servers: Mutex<[Server]>
  private let addresses: Mutex<[SocketAddress]>
  private let postgres: PostgresServer

  convenience init(_ count: Int) async throws {
    try await self.init(cells: Array(repeating: [.sole], count: count))
  }

  /// - Parameter cells: The cells of each server.
  init(cells: [[CellNumber]]) async throws {
    self.cells = cells
    folder = try Folder()
    postgres = try PostgresServer.shared.get()
    database = "nodes_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    shard = try Shard(label: "test.nodes")
    var limits = PostgresLimits()
    limits.connectDeadline = .seconds(60)
    limits.batchDeadline = .seconds(60)
    owner = try await PostgresConnection.open(
      PostgresAddress(parsing: postgres.url), on: shard, limits: limits)
    servers = Mutex([])
    addresses = Mutex(
      Array(repeating: .ipv4(octets: [127, 0, 0, 1], port: 0), count: cells.count))
    for cell in Set(cells.joined()) { try await run("CREATE DATABASE \(name(cell))") }
    try await start()
  }

  private func run(_ sql: String) async throws {
    // A session that is ended twice is a warning, which says nothing about the rest.
    _ = try await owner.run(PostgresBatch([PostgresStatement(sql)], changes: false))
  }

  private func start() async throws {
    var started: [Server] = []
    for (index, address) in addresses.withLock({ $0 }).enumerated() {
      var configuration = Server.Configuration(
        dataDirectory: path(index), listenAddress: address,
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
        onFatal: { Issue.record("the store failed: \($0.userMessage)") })
      for cell in cells[index] {
        configuration.databases[cell] = try PostgresAddress(parsing: postgres.url(of: name(cell)))
      }
      started.append(try await Server.start(configuration))
    }
    addresses.withLock { $0 = started.map(\.address) }
    servers.withLock { $0 = started }
  }

  private func name(_ cell: CellNumber) -> String {
    cell == .sole ? database : "\(database)_\(cell)"
  }

  private func path(_ index: Int) -> String { folder.url.path + "/node\(index)" }

  /// A paired replica that calls one of the servers.
  func device(_ name: String, through index: Int, in cell: CellNumber = .sole) async throws
    -> TestDevice
  {
    let device = try TestDevice()
    let request = AccountRequest(name: "home").packed
    let answer: [UInt8]
    do {
      answer = try await command(Method.Admin.addAccount, request, to: index, in: cell)
    } catch {
      answer = try await command(Method.Admin.inviteDevice, request, to: index, in: cell)
    }
    let invitation = try Invitation(unpacking: answer)
    try await device.replica.pair(
      PairingLink(server: ServerAddress(parsing: invitation.address), code: invitation.code),
      name: name)
    return device
  }

  /// Calls the owner's socket of a server.
  func command(
    _ method: String, _ request: [UInt8], to index: Int, in cell: CellNumber = .sole
  ) async throws -> [UInt8] {
    let channel = try GRPCChannel(
      to: .address(.unix(path: Server.adminSocketPath(in: path(index)))))
    var metadata = Metadata()
    if cell != .sole { metadata.add(Cells.metadataName, cell.description) }
    let result: Result<[UInt8], Status>
    do throws(Status) {
      result = .success(try await channel.unary(method, request, metadata: metadata))
    } catch {
      result = .failure(error)
    }
    await channel.close()
    return try result.get()
  }

  /// What devices call, so that a device can be sent to another server.
  func address(_ index: Int) -> SocketAddress { addresses.withLock { $0[index] } }

  /// Starts all servers again, with the addresses that they had, of others if `order` says so.
  ///
  /// - Parameters:
  ///   - cell: Its database takes no session until `letIn`.
  ///   - format: Of new databases, which take the place of those that are there.
  func restart(
    order: [Int], without cell: CellNumber? = nil, inFormat format: Int? = nil
  ) async throws {
    await stopServers()
    if let format {
      for cell in Set(cells.joined()) { try await makeAnew(cell, inFormat: format) }
    }
    if let cell { try await run("ALTER DATABASE \(name(cell)) ALLOW_CONNECTIONS false") }
    addresses.withLock { addresses in addresses = order.map { addresses[$0] } }
    try await start()
  }

  private func makeAnew(_ cell: CellNumber, inFormat format: Int) async throws {
    try await run("DROP DATABASE \(name(cell)) WITH (FORCE)")
    try await run("CREATE DATABASE \(name(cell))")
    let connection = try await PostgresConnection.open(
      PostgresAddress(parsing: postgres.url(of: name(cell))), on: shard)
    let mark =
      "INSERT INTO atrest.meta (version, name, cell) VALUES (\(format), 76, \(cell.rawValue))"
    let statements = PostgresSchema.steps.prefix(format).joined() + [mark]
    _ = try await connection.run(PostgresBatch(statements.map { PostgresStatement($0) }))
    await connection.close()
  }

  func letIn(_ cell: CellNumber) async throws {
    try await run("ALTER DATABASE \(name(cell)) ALLOW_CONNECTIONS true")
  }

  /// Has writes wait, and reads not, until the transaction ends.
  func holdWrites() async throws -> PostgresTransaction {
    var session = PostgresSession()
    session.idleTimeout = .seconds(1200)
    let connection = try await PostgresConnection.open(
      PostgresAddress(parsing: postgres.url(of: database)), on: shard, session: session)
    let lock = PostgresStatement("LOCK TABLE atrest.account IN EXCLUSIVE MODE")
    return try await PostgresTransaction.begin([lock], on: connection).transaction
  }

  /// Ends every session of the servers.
  func endSessions() async throws {
    try await run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname LIKE '\(database)%' AND pid <> pg_backend_pid()
      """)
  }

  /// Keeps the database as it is. The servers start again.
  func keepCopy() async throws {
    await stopServers()
    try await run("CREATE DATABASE \(database)_copy TEMPLATE \(database)")
    try await start()
  }

  /// Puts the copy in the database's place. The servers start again.
  func restoreCopy() async throws {
    await stopServers()
    try await run("DROP DATABASE \(database) WITH (FORCE)")
    try await run("ALTER DATABASE \(database)_copy RENAME TO \(database)")
    try await start()
  }

  private func stopServers() async {
    for server in servers.withLock({ $0 }) { await server.stop() }
    servers.withLock { $0 = [] }
  }

  func stop() async {
    await stopServers()
    for cell in Set(cells.joined()) {
      try? await run("DROP DATABASE \(name(cell)) WITH (FORCE)")
    }
    await owner.close()
    await shard.stop()
  }
}
