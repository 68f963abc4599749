// SPDX-License-Identifier: Apache-2.0
// Assembles the server, and shuts it down without losing a call.

import AtrestEntitlements
import AtrestHTTP2
import AtrestPostgreSQL
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestTLS
import AtrestWire
import Logging
import Synchronization

/// A running server: a store, its services, a TCP listener and a Unix socket for the operator.
package final class Server: Sendable {
  /// The operator's settings.
  package struct Configuration: Sendable {
    /// The store's directory. Created if it does not exist.
    package var dataDirectory: String
    /// The address for devices. With port 0, the system chooses a free port.
    package var listenAddress: SocketAddress
    /// How the server authenticates itself. Without encryption it listens on loopback only.
    package var encryption = Encryption.none
    /// `HOST:PORT` at which devices reach the listener, if it differs from the listen address. For
    /// pairing links.
    package var advertisedAddress: String?
    /// Shards that serve devices. Each uses up to one core.
    package var shardCount = 2
    /// Proxies whose `x-forwarded-for` header is trusted.
    package var proxies = TrustedProxies()
    /// What the owner should change.
    package let warnings: StandingWarnings
    /// Free bytes of the data folder's disk; nil if unknown.
    package var diskFreeBytes: @Sendable () -> UInt64?
    /// The web app. Nil: browsers are served no files.
    package var site: WebSite?
    /// Bounds on the resources of peers and accounts.
    package var limits = ServerLimits()
    /// The grace period for open calls when the server stops.
    package var drainGrace: Duration = .seconds(10)
    /// The interval of heartbeats on idle Watch streams.
    package var heartbeat = Watch.heartbeat
    /// Clocks and randomness.
    package var environment = Environment.system
    /// The policy for verifying purchases. Nil: Entitlements.Submit is rejected.
    package var purchases: VerificationPolicy?
    package var logger: Logger
    /// Where the server counts what it does. Nil: nowhere.
    package var metrics: ServerMetrics?
    /// The databases of several servers, by cell. None: a SQLite file in the data directory.
    package var databases: [CellNumber: PostgresAddress] = [:]
    /// What sessions with the databases allow.
    package var databaseSession = PostgresSession()
    /// Fault injection for tests.
    package var storeHooks: @Sendable () -> SQLiteStore.Hooks = { SQLiteStore.Hooks() }
    /// Called for an error that makes the store unusable. Must not return in production.
    package var onFatal: @Sendable (StoreError) -> Void

    /// The defaults.
    package init(
      dataDirectory: String, listenAddress: SocketAddress, logger: Logger,
      onFatal: @escaping @Sendable (StoreError) -> Void
    ) {
      self.dataDirectory = dataDirectory
      self.listenAddress = listenAddress
      self.logger = logger
      warnings = StandingWarnings(logger: logger)
      diskFreeBytes = { DiskGuard.freeBytes(of: dataDirectory) }
      self.onFatal = onFatal
    }
  }

  /// The path of the operator's socket.
  package static func adminSocketPath(in directory: String) -> String {
    directory + "/admin.sock"
  }

  /// Maximum length of a Unix socket's path in bytes: the kernel's buffer without the final NUL.
  static let socketPathBytes = 107

  /// The listen address, with the port that the system chose.
  package var address: SocketAddress { place.address }
  private let place = BoundAddress()
  private let configuration: Configuration
  private let stores: Stores
  private let cells: Cells
  private let clock: ClockMonitor
  private let health: HealthService
  private let devicesServer: GRPCServer
  private let adminServer: GRPCServer
  private let tls: TLSContextBox?
  private let statusService = ServerStatusService()
  private let startedAt: Instant
  /// Background tasks.
  private let chores = Mutex<[Task<Void, Never>]>([])

  /// Opens the store, then the sockets.
  ///
  /// - Throws: `ServerError`. Nothing stays open then.
  package static func start(_ configuration: Configuration) async throws(ServerError) -> Server {
    var configuration = configuration
    configuration.environment.metrics = configuration.metrics?.store
    if case .none = configuration.encryption, !configuration.listenAddress.isLoopback {
      throw .notLoopback(configuration.listenAddress.description)
    }
    let socketPath = adminSocketPath(in: configuration.dataDirectory)
    guard socketPath.utf8.count <= socketPathBytes else {
      throw .pathTooLong(configuration.dataDirectory)
    }
    let stores: Stores
    do throws(StoreError) { stores = try await Stores.open(configuration) } catch {
      throw .store(error)
    }
    let tls: TLSContextBox?
    do throws(TLSFileError) {
      // The directory is locked, so no other server generates an identity.
      let identity = try Self.identity(configuration)
      tls = try identity.map { identity throws(TLSFileError) in try TLSContextBox(identity) }
    } catch {
      await stores.close()
      throw .certificate(error)
    }
    let server: Server
    do throws(SocketError) {
      server = try Server(configuration, stores, tls)
    } catch {
      await stores.close()
      throw .socket(error)
    }
    do throws(SocketError) { try server.listen() } catch {
      await server.stop()
      throw .socket(error)
    }
    server.statusService.report { [weak server] in server?.status() ?? GetServerStatusResponse() }
    await server.beginChores()
    return server
  }

  private func beginChores() async {
    let (health, clock) = (health, clock)
    let (environment, logger) = (configuration.environment, configuration.logger)
    for cell in cells.all { await cell.start { health.reconsider() } }
    chores.withLock { chores in
      for cell in cells.all {
        chores.append(
          Task { await cell.work(clock, environment) { health.reconsider() } })
      }
      if let tls { chores.append(Task { await Self.renewTicketKeys(of: tls, logger) }) }
      chores.append(Task { await Self.reconsider(health) })
    }
  }

  /// Nothing tells when a disk fills up or has room again.
  private static func reconsider(_ health: HealthService) async {
    while (try? await Task.sleep(for: .seconds(5))) != nil { health.reconsider() }
  }

  /// Lifetime of session ticket keys: a device can resume a session within the day, but not later.
  private static let ticketKeyLifetime: Duration = .seconds(12 * 3600)

  private static func renewTicketKeys(of tls: TLSContextBox, _ logger: Logger) async {
    while (try? await Task.sleep(for: ticketKeyLifetime)) != nil {
      do throws(TLSFileError) { try tls.renewTicketKeys() } catch {
        logger.warning(
          "session tickets keep the keys that they have",
          metadata: ["error": "\(error.userMessage)"])
      }
    }
  }

  private init(
    _ configuration: Configuration, _ stores: Stores, _ tls: TLSContextBox?
  ) throws(SocketError) {
    self.configuration = configuration
    self.tls = tls
    self.stores = stores
    let environment = configuration.environment
    let clock = ClockMonitor(
      environment: environment, registries: stores.backends.map(\.registry),
      lastWritten: stores.backends.map(\.lastWritten).max() ?? .epoch,
      logger: configuration.logger)
    clock.check()
    let place = place
    let address: @Sendable () -> String = {
      let address = configuration.advertisedAddress ?? place.address.description
      return address + configuration.encryption.linkPart(of: address, tls?.current.identity)
    }
    let cells = Cells(
      stores.backends.map { Cell($0, configuration, clock: clock, address: address) },
      environment: environment, proxies: configuration.proxies)
    health = HealthService(
      services: Routes.publicServices, clock: clock, isStoreUsable: { cells.isUsable })
    self.cells = cells
    self.clock = clock

    var forDevices = GRPCServer.Configuration()
    configuration.limits.apply(to: &forDevices)
    forDevices.shardCount = configuration.shardCount
    let logger = configuration.logger
    forDevices.onHandlerError = { path, error in
      logger.error("a handler failed", metadata: ["path": "\(path)", "type": "\(type(of: error))"])
    }
    let metrics = configuration.metrics
    var forOwner = forDevices
    forDevices.site = configuration.site
    if let metrics { forDevices.site?.onAnswer = { metrics.answered($0) } }
    forDevices.onCallEnd = { call in
      metrics?.calls.record(call)
      guard logger.logLevel <= .debug else { return }
      logger.debug(
        "a call ended",
        metadata: [
          "method": "\(call.path ?? "unknown")", "code": "\(call.code)",
          "ms": "\(call.duration / .milliseconds(1))",
        ])
    }
    forOwner.shardCount = 1
    forOwner.maxConnections = 64
    forOwner.maxUnauthenticatedConnections = 64
    devicesServer = try GRPCServer(
      router: Routes.forDevices(
        cells, health: health, environment: environment, heartbeat: configuration.heartbeat,
        proxies: configuration.proxies,
        questionsPerAddress: configuration.limits.questionsPerAddress),
      configuration: forDevices)
    adminServer = try GRPCServer(
      router: Routes.forOwner(cells, status: statusService), configuration: forOwner)
    startedAt = environment.instant()
  }

  private func listen() throws(SocketError) {
    place.set(try devicesServer.listen(on: configuration.listenAddress, tls: tls))
    // The operator's socket comes second, because its pairing links contain the listen address.
    try adminServer.listen(
      on: .unix(path: Self.adminSocketPath(in: configuration.dataDirectory)))
  }

  /// Reloads the files of a CA-signed certificate. Existing connections keep the old certificate,
  /// new ones get the new one. The server's own certificate never changes: devices were paired with
  /// it.
  ///
  /// - Returns: Whether there were files to load.
  /// - Throws: `TLSFileError` if they are invalid. The current certificate stays in use.
  package func renewCertificate() throws(TLSFileError) -> Bool {
    guard let tls, case .files = configuration.encryption,
      let identity = try Self.identity(configuration)
    else { return false }
    try tls.replace(with: identity)
    return true
  }

  private static func identity(
    _ configuration: Configuration
  ) throws(TLSFileError) -> ServerIdentity? {
    let addresses =
      [configuration.advertisedAddress, configuration.listenAddress.description].compactMap(\.self)
    let identity = try configuration.encryption.identity(
      in: configuration.dataDirectory,
      for: addresses.compactMap { (try? Endpoint(parsing: $0))?.host })
    if let key = configuration.encryption.openKey {
      configuration.logger.warning(
        "every user of this machine can use the key of --tls-key: give it to its owner alone, with chmod 600",
        metadata: ["file": "\(key.path)", "mode": "\(key.mode)"])
    }
    return identity
  }

  /// What the server does at the moment. Costs microseconds, and some more for many accounts.
  package var report: ServerReport {
    let censuses = cells.all.map(\.registry.census)
    let databases = cells.all.compactMap(\.backend.shared)
    let timelines = databases.compactMap { database in
      database.timeline.map { (database.cell, $0) }
    }
    return ServerReport(
      calls: devicesServer.statistics, heldBytes: devicesServer.holder.chargedBytes,
      connectionBytes: devicesServer.overhead.chargedBytes,
      queueBytes: cells.all.reduce(0) { $0 + $1.backend.queue.waitingBytes },
      watchers: censuses.reduce(0) { $0 + $1.watches },
      accounts: censuses.reduce(0) { $0 + $1.accounts },
      devices: censuses.reduce(0) { $0 + $1.devices },
      diskFreeBytes: configuration.diskFreeBytes(),
      isDiskFull: cells.all.contains { $0.backend.isDiskFull },
      certificateEnd: tls?.current.identity.validUntil, isServing: health.isServing,
      writeSilence: databases.map(\.writeSilence).max() ?? .zero,
      timelines: Dictionary(uniqueKeysWithValues: timelines),
      unusableStores: cells.all.count { !$0.backend.isUsable },
      deafStores: databases.count { !$0.isListening }, isClockDoubtful: clock.doubt != nil)
  }

  private func status() -> GetServerStatusResponse {
    let report = report
    var status = GetServerStatusResponse()
    status.version = ProgramVersion.text
    let uptime = configuration.environment.instant().duration(since: startedAt)
    status.uptimeMilliseconds = Int(uptime / .milliseconds(1))
    status.address = address.description
    status.store = Self.store(configuration)
    (status.isServing, status.isClockDoubtful) = (report.isServing, report.isClockDoubtful)
    status.isDiskFull = report.isDiskFull
    (status.accounts, status.devices) = (report.accounts, report.devices)
    status.handshakingConnections = report.calls.handshakingConnections
    status.unauthenticatedConnections = max(
      0, report.calls.unauthenticatedConnections - report.calls.handshakingConnections)
    status.connections = report.calls.activeConnections
    (status.activeCalls, status.watchers) = (report.calls.activeCalls, report.watchers)
    status.endedCalls = report.calls.totalCalls
    status.successfulCalls = report.calls.callsByCode[.ok] ?? 0
    (status.heldBytes, status.queueBytes) = (report.heldBytes, report.queueBytes)
    status.diskFreeBytes = report.diskFreeBytes.map { Int(clamping: $0) }
    status.certificateEndMilliseconds = report.certificateEnd.map { $0 * 1000 }
    status.warnings = configuration.warnings.all
    return status
  }

  /// What holds the records. Addresses of databases are left out.
  private static func store(_ configuration: Configuration) -> String {
    let count = configuration.databases.count
    return count == 0 ? "SQLite" : count == 1 ? "PostgreSQL" : "PostgreSQL, \(count) databases"
  }

  /// Sets the gauges of the server's metrics, if it has any.
  package func updateMetrics() { configuration.metrics?.set(report) }

  /// Call statistics of the device listener.
  package var statistics: ServerStatistics { devicesServer.statistics }

  /// Stops the server: reports NOT_SERVING, ends streams, drains open calls, closes the store.
  /// Idempotent.
  package func stop() async {
    health.stopServing()
    for cell in cells.all { cell.endStreams() }
    await devicesServer.drain(grace: configuration.drainGrace)
    await adminServer.drain(grace: configuration.drainGrace)
    for chore in chores.withLock({ $0 }) { chore.cancel() }
    for cell in cells.all {
      cell.backend.queue.writeCounted(at: configuration.environment.now(), always: true)
    }
    await stores.close()
    let statistics = statistics
    var counts: Logger.Metadata = ["calls": "\(statistics.totalCalls)"]
    for (code, count) in statistics.callsByCode where count > 0 {
      counts["\(code)"] = "\(count)"
    }
    configuration.logger.info("stopped", metadata: counts)
  }
}

/// The listen address, known only once the server listens.
private final class BoundAddress: Sendable {
  private let value = Mutex(SocketAddress.unix(path: ""))
  var address: SocketAddress { value.withLock { $0 } }
  func set(_ address: SocketAddress) { value.withLock { $0 = address } }
}

/// Why a server does not start.
package enum ServerError: Error, Equatable {
  /// The address is reachable from other machines.
  case notLoopback(String)
  /// The data directory's path leaves no room for the operator's socket.
  case pathTooLong(String)
  case socket(SocketError)
  case store(StoreError)
  case certificate(TLSFileError)

  /// What happened, then what to do.
  package var userMessage: String {
    switch self {
    case .notLoopback(let address):
      "\(address) can be reached from other machines, and what is sent in the clear must not be. "
        + "Leave out --insecure, or listen on 127.0.0.1 or [::1]."
    case .pathTooLong(let path):
      "\(path) is too long a path: the owner's socket is made in that folder, and its path has at "
        + "most \(Server.socketPathBytes) bytes. Choose a shorter one with --data."
    case .socket(let error): error.userMessage
    case .store(let error): error.userMessage
    case .certificate(let error): error.userMessage
    }
  }
}
