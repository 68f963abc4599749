// SPDX-License-Identifier: Apache-2.0
// The whole server over real sockets: authorization, startup and shutdown.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestServer

/// A server in its own folder, with a channel to each of its sockets.
private final class Running: Sendable {
  let folder: Folder
  let server: Server
  let device: GRPCChannel
  let owner: GRPCChannel

  init(
    _ folder: Folder? = nil, heartbeat: Duration = .seconds(30), free: Storage.Free? = nil
  ) async throws {
    let folder = try folder ?? Folder()
    self.folder = folder
    var configuration = Server.Configuration(
      dataDirectory: folder.data, listenAddress: .ipv4(octets: [127, 0, 0, 1], port: 0),
      logger: quiet, onFatal: { _ in })
    configuration.heartbeat = heartbeat
    if let free { configuration.diskFreeBytes = { free.bytes.withLock { $0 } } }
    configuration.proxies = TrustedProxies(warnings: configuration.warnings)
    server = try await Server.start(configuration)
    device = try GRPCChannel(to: .address(server.address))
    owner = try GRPCChannel(to: .address(.unix(path: Server.adminSocketPath(in: folder.data))))
  }

  func stop() async {
    await server.stop()
    await device.close()
    await owner.close()
  }

  func pair(_ account: String, _ name: String) async throws -> PairedDevice {
    let method =
      try await accounts().contains(account) ? Method.Admin.inviteDevice : Method.Admin.addAccount
    let invitation = try Invitation(
      unpacking: try await owner.unary(method, AccountRequest(name: account).packed))
    #expect(invitation.address == server.address.description)
    let answer = try PairResponse(
      decoding: try await device.unary(
        Method.Devices.pair, PairRequest(code: invitation.code, deviceName: name).encoded))
    return PairedDevice(replica: answer.replica, token: answer.token)
  }

  func accounts() async throws -> [String] {
    let answer = try await owner.unary(Method.Admin.listAccounts, [])
    return try ListAccountsResponse(unpacking: answer).accounts.map(\.name)
  }

  func status() async throws -> GetServerStatusResponse {
    try GetServerStatusResponse(
      unpacking: try await owner.unary(Method.Admin.getServerStatus, []))
  }

  func exchange(
    _ caller: PairedDevice, _ request: ExchangeRequest
  ) async throws -> ExchangeResponse {
    try ExchangeResponse(
      decoding: try await device.unary(
        Method.Sync.exchange, request.encoded, metadata: caller.metadata))
  }
}

private struct PairedDevice {
  let replica: ReplicaID
  let token: String

  var metadata: Metadata {
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(token)")
    return metadata
  }
}

private func code(_ body: () async throws -> Void) async -> StatusCode? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? Status)?.code
  }
}

@Suite(.timeLimit(.minutes(20))) struct ServerTests {
  @Test("two devices pair, and what one offers the other watches and receives")
  func life() async throws {
    let running = try await Running()
    let (first, second) = (
      try await running.pair("kim", "phone"), try await running.pair("kim", "tablet")
    )
    var events = running.device.serverStream(
      Method.Sync.watch, WatchRequest(cursor: nil).encoded, metadata: second.metadata
    ).makeAsyncIterator()
    let start = try WatchResponse(decoding: try #require(try await events.next()))
    let now = Environment.system.now().milliseconds
    let glass = water(1, at: now, by: first.replica)
    let pushed = try await running.exchange(first, request(nil, glass))
    #expect(pushed.refusals.isEmpty && pushed.records.isEmpty)
    let event = try WatchResponse(decoding: try #require(try await events.next()))
    #expect(event.after == start.cursor && event.cursor == pushed.cursor)
    #expect(event.records == [glass.encoded])
    #expect(try await running.exchange(second, request()).records == [glass.encoded])
    // Nothing is new, so the response comes from memory. It equals the one from the store.
    let again = try await running.exchange(second, request(pushed.cursor))
    #expect(again.cursor == pushed.cursor && again.records.isEmpty && !again.more)
    await running.stop()
  }

  /// A reader holds up the erasure for five seconds. The calls of a revoked device end sooner.
  @Test("a device that ends its account is answered, however long its values take to be erased")
  func slowErasure() async throws {
    let running = try await Running()
    let phone = try await running.pair("kim", "phone")
    var reading = GRDB.Configuration()
    reading.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(
      path: running.folder.data + "/atrest.db", configuration: reading)
    try await reader.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN")
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM account")
    }
    let answer = try await running.device.unary(
      Method.Accounts.delete, AccountsDeleteRequest(accountName: "kim").encoded,
      metadata: phone.metadata)
    #expect(answer.isEmpty)
    #expect(try await running.accounts().isEmpty)
    try reader.close()
    await running.stop()
  }

  @Test(
    "what was acknowledged is there when the server starts again, with tokens and positions")
  func restart() async throws {
    let running = try await Running()
    let phone = try await running.pair("kim", "phone")
    let glass = water(1, at: Environment.system.now().milliseconds, by: phone.replica)
    let pushed = try await running.exchange(phone, request(nil, glass))
    await running.stop()
    let again = try await Running(running.folder)
    let answer = try await again.exchange(phone, request())
    #expect(answer.records == [glass.encoded])
    #expect(answer.cursor == pushed.cursor)
    #expect(try await !again.exchange(phone, request(pushed.cursor)).restarted)
    await again.stop()
  }

  @Test("without a good token nothing but pairing and health answers")
  func authentication() async throws {
    let running = try await Running()
    var bad = Metadata()
    bad.add("authorization", "Bearer " + String(repeating: "0", count: 80))
    for method in [
      Method.Sync.exchange, Method.Sync.watch, Method.Sync.reconcile, Method.Devices.invite,
      Method.Devices.renew,
      Method.Devices.list, Method.Devices.listPendingDevices, Method.Devices.resolvePendingDevice,
      Method.Devices.rename,
      Method.Accounts.get, Method.Accounts.delete, Method.Accounts.events,
      Method.Devices.revoke,
    ] {
      for metadata in [Metadata(), bad] {
        let found = await code {
          _ = try await running.device.unary(method, [], metadata: metadata)
        }
        #expect(found == .unauthenticated, "\(method)")
      }
    }
    #expect(
      await code { _ = try await running.device.unary(Method.Devices.pair, []) } == .invalidArgument
    )
    #expect(await code { _ = try await running.device.unary(Method.Health.check, []) } == nil)
    await running.stop()
  }

  @Test("the Admin service is not on the devices' address, nor the others on the owner's socket")
  func separation() async throws {
    let running = try await Running()
    for method in [
      Method.Admin.addAccount, Method.Admin.inviteDevice, Method.Admin.listAccounts,
      Method.Admin.listDevices, Method.Admin.revokeDevice, Method.Admin.backup,
      Method.Admin.events, Method.Admin.checkEvents,
    ] {
      #expect(
        await code { _ = try await running.device.unary(method, []) } == .unimplemented, "\(method)"
      )
    }
    #expect(
      await code { _ = try await running.owner.unary(Method.Sync.exchange, []) } == .unimplemented)
    await running.stop()
  }

  @Test("the owner ends a device's access: its stream and its calls end at once")
  func ownerRevokes() async throws {
    let running = try await Running()
    let (phone, tablet) = (
      try await running.pair("kim", "phone"), try await running.pair("kim", "tablet")
    )
    var events = running.device.serverStream(
      Method.Sync.watch, [], metadata: tablet.metadata
    ).makeAsyncIterator()
    _ = try await events.next()
    _ = try await running.owner.unary(
      Method.Admin.revokeDevice, DevicesRevokeRequest(replica: tablet.replica).encoded)
    #expect(await code { _ = try await events.next() } == .unauthenticated)
    // The tablet's connection is about to be closed. A call on it may find it gone.
    let another = try GRPCChannel(to: .address(running.server.address))
    func exchange(_ caller: PairedDevice) async -> StatusCode? {
      await code {
        _ = try await another.unary(
          Method.Sync.exchange, request().encoded, metadata: caller.metadata)
      }
    }
    #expect(await exchange(tablet) == .unauthenticated)
    #expect(await exchange(phone) == nil)
    await another.close()
    let answer = try await running.owner.unary(
      Method.Admin.listDevices, AccountRequest(name: "kim").packed)
    let entries = try ListDevicesResponse(unpacking: answer).entries
    #expect(entries.map(\.device.name) == ["phone", "tablet"])
    #expect(entries.map { $0.device.revoked == nil } == [true, false])
    await running.stop()
  }

  @Test("the owner hears what is wrong with a name or an ID")
  func ownerMistakes() async throws {
    let running = try await Running()
    func ask(_ method: String, _ name: String) async -> StatusCode? {
      await code { _ = try await running.owner.unary(method, AccountRequest(name: name).packed) }
    }
    #expect(await ask(Method.Admin.addAccount, "kim") == nil)
    #expect(await ask(Method.Admin.addAccount, "kim") == .alreadyExists)
    #expect(await ask(Method.Admin.addAccount, "") == .invalidArgument)
    #expect(await ask(Method.Admin.addAccount, "a\u{1B}[2J") == .invalidArgument)
    #expect(await ask(Method.Admin.inviteDevice, "sam") == .notFound)
    #expect(await ask(Method.Admin.listDevices, "sam") == .notFound)
    #expect(
      await code {
        _ = try await running.owner.unary(
          Method.Admin.revokeDevice, DevicesRevokeRequest(replica: ReplicaID(rawValue: 5)).encoded)
      } == .notFound)
    #expect(try await running.accounts() == ["kim"])
    await running.stop()
  }

  @Test("the owner's programs get reasons, too")
  func ownerReasons() async throws {
    let running = try await Running()
    func reason(_ method: String, _ request: [UInt8]) async -> ErrorReason? {
      do {
        _ = try await running.owner.unary(method, request)
        return nil
      } catch {
        return (try? ErrorDetails(decoding: error.details))?.reason
      }
    }
    let kim = AccountRequest(name: "kim").packed
    let sam = AccountRequest(name: "sam").packed
    #expect(await reason(Method.Admin.addAccount, kim) == nil)
    #expect(await reason(Method.Admin.addAccount, kim) == .accountExists)
    for method in [
      Method.Admin.inviteDevice, Method.Admin.listDevices, Method.Admin.removeAccount,
    ] {
      #expect(await reason(method, sam) == .accountNotFound)
    }
    let relative = BackupRequest(path: "backup").packed
    #expect(await reason(Method.Admin.backup, relative) == .requestInvalid)
    let absent = BackupRequest(path: running.folder.path("none/backup")).packed
    #expect(await reason(Method.Admin.backup, absent) == .backupFailed)
    let backup = BackupRequest(path: running.folder.path("backup")).packed
    #expect(await reason(Method.Admin.backup, backup) == nil)
    #expect(await reason(Method.Admin.backup, backup) == .backupFileExists)
    let move = MoveAccountRequest(account: "kim", cell: 7, isCancelled: false).packed
    #expect(await reason(Method.Admin.moveAccount, move) == .cellNotServed)
    await running.stop()
  }

  @Test("a silent stream is sent heartbeats")
  func heartbeat() async throws {
    let running = try await Running(heartbeat: .milliseconds(20))
    let phone = try await running.pair("kim", "phone")
    var events = running.device.serverStream(
      Method.Sync.watch, [], metadata: phone.metadata
    ).makeAsyncIterator()
    for _ in 0..<3 {
      let event = try WatchResponse(decoding: try #require(try await events.next()))
      #expect(event.after == event.cursor && event.records.isEmpty)
    }
    await running.stop()
  }

  @Test("a server that stops says so to probes and streams, then closes the store for the next")
  func stops() async throws {
    let running = try await Running()
    let phone = try await running.pair("kim", "phone")
    var health = running.device.serverStream(Method.Health.watch, []).makeAsyncIterator()
    var events = running.device.serverStream(
      Method.Sync.watch, [], metadata: phone.metadata
    ).makeAsyncIterator()
    _ = try await events.next()
    let first = try #require(try await health.next())
    #expect(try HealthCheckResponse(decoding: first).state == .serving)
    async let stopping: Void = running.stop()
    let second = try #require(try await health.next())
    #expect(try HealthCheckResponse(decoding: second).state == .notServing)
    #expect(await code { _ = try await events.next() } == .unavailable)
    await stopping
    #expect(running.server.statistics.activeCalls == 0)
    #expect(!FileManager.default.fileExists(atPath: running.folder.data + "/admin.sock"))
    try openStore(running.folder).close()
  }

  @Test("an address that other machines can reach is refused before anything is made")
  func loopbackOnly() async throws {
    let folder = try Folder()
    let configuration = Server.Configuration(
      dataDirectory: folder.data, listenAddress: .ipv4(octets: [0, 0, 0, 0], port: 0),
      logger: quiet, onFatal: { _ in })
    await #expect(throws: ServerError.notLoopback("0.0.0.0:0")) {
      _ = try await Server.start(configuration)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.data))
  }

  @Test("a folder whose path leaves no room for the socket is refused before anything is made")
  func longPath() async throws {
    let folder = try Folder()
    let path = folder.data + String(repeating: "x", count: 100)
    let configuration = Server.Configuration(
      dataDirectory: path, listenAddress: .ipv4(octets: [127, 0, 0, 1], port: 0), logger: quiet,
      onFatal: { _ in })
    await #expect(throws: ServerError.pathTooLong(path)) {
      _ = try await Server.start(configuration)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("an address in use leaves the store free for the next try")
  func addressInUse() async throws {
    let running = try await Running()
    let folder = try Folder()
    let configuration = Server.Configuration(
      dataDirectory: folder.data, listenAddress: running.server.address, logger: quiet,
      onFatal: { _ in })
    await #expect(throws: ServerError.self) { _ = try await Server.start(configuration) }
    try openStore(folder).close()
    await running.stop()
  }

  @Test("every method of the contract is served, and no other")
  func methods() throws {
    let storage = try Storage()
    let environment = storage.world.environment
    let cells = Cells(
      [storage.cell(accounts: AccountsService(queue: storage.queue, devices: storage.devices))],
      environment: environment)
    let devices = Routes.forDevices(
      cells, health: HealthService(services: Routes.publicServices), environment: environment,
      heartbeat: .seconds(30))
    #expect(
      Set(devices.paths) == [
        Method.Sync.exchange, Method.Sync.watch, Method.Sync.reconcile, Method.Devices.pair,
        Method.Devices.invite, Method.Devices.renew,
        Method.Devices.list, Method.Devices.listPendingDevices, Method.Devices.resolvePendingDevice,
        Method.Devices.rename,
        Method.Accounts.get, Method.Accounts.delete, Method.Accounts.events,
        Method.Devices.revoke, Method.Entitlements.submit, Method.Entitlements.get,
        Method.Server.serverInfo,
        Method.Health.check,
        Method.Health.watch, Method.Health.list,
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
      ])
    let withoutReflection = Routes.forDevices(
      cells, health: HealthService(services: Routes.publicServices), environment: environment,
      heartbeat: .seconds(30), questionsPerAddress: 0)
    #expect(
      Set(devices.paths).subtracting(withoutReflection.paths)
        == Set(ReflectionService.names.map { "/\($0)/ServerReflectionInfo" }))
    #expect(
      Set(Routes.forOwner(cells, status: ServerStatusService()).paths) == [
        Method.Admin.listCells, Method.Admin.getServerStatus, Method.Admin.moveAccount,
        Method.Admin.addAccount, Method.Admin.inviteDevice, Method.Admin.removeAccount,
        Method.Admin.listAccounts,
        Method.Admin.listDevices, Method.Admin.revokeDevice, Method.Admin.backup,
        Method.Admin.events, Method.Admin.checkEvents,
      ])
  }

  @Test("the owner sees what the server is doing, and a device that calls")
  func status() async throws {
    let running = try await Running()
    let empty = try await running.status()
    #expect(empty.version == ProgramVersion.text && empty.store == "SQLite")
    #expect(empty.address == running.server.address.description && empty.isServing)
    #expect(empty.devices == 0 && empty.connections == 0 && empty.endedCalls == 0)
    #expect((empty.diskFreeBytes ?? 0) > 0 && empty.certificateEndMilliseconds == nil)

    let phone = try await running.pair("kim", "phone")
    _ = try await running.exchange(phone, ExchangeRequest(cursor: .start))
    let status = try await running.status()
    #expect(status.accounts == 1 && status.devices == 1 && status.connections == 1)
    #expect(status.endedCalls == 2 && status.successfulCalls == 2)
    #expect(status.uptimeMilliseconds >= empty.uptimeMilliseconds)

    // A call through a proxy that the owner did not name.
    #expect(status.warnings.isEmpty)
    var forwarded = phone.metadata
    forwarded.add("x-forwarded-for", "203.0.113.7")
    _ = try await running.device.unary(
      Method.Sync.exchange, ExchangeRequest(cursor: .start).encoded, metadata: forwarded)
    let warned = try await running.status().warnings
    #expect(warned.count == 1 && warned.first?.contains("--trusted-proxy 127.0.0.1") == true)
    await running.stop()
  }

  @Test("a server whose disk is nearly full is not ready, and is again when there is room")
  func nearlyFullDisk() async throws {
    let free = Storage.Free()
    let running = try await Running(free: free)
    let phone = try await running.pair("kim", "phone")
    func health() async throws -> HealthCheckResponse.State {
      try HealthCheckResponse(
        decoding: try await running.device.unary(
          Method.Health.check, HealthCheckRequest(service: "").encoded)
      ).state
    }
    #expect(try await health() == .serving)
    free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    let full = try await running.status()
    #expect(full.isDiskFull && !full.isServing)
    #expect(try await health() == .notServing)
    // What is there is served all the same.
    _ = try await running.exchange(phone, ExchangeRequest(cursor: .start))
    free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    let roomy = try await running.status()
    #expect(!roomy.isDiskFull && roomy.isServing)
    await running.stop()
  }
}
