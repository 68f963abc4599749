// SPDX-License-Identifier: Apache-2.0
// The daemon: starts the server, and stops it on a signal.

import ArgumentParser
import AtrestCommandLine
import AtrestServer
import AtrestSockets
import AtrestTLS
import Foundation
import Logging

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server until it is told to stop (Ctrl-C, or SIGTERM).",
    discussion: """
      Connections are encrypted. The first start makes a key and a certificate, identity.pem in the data folder; pairing links carry \
      its fingerprint.

      Each option may stand in a configuration file as well, see `atrest-syncd config`. SIGHUP reads that file and the files of --tls-cert \
      and --tls-key again, and ends no connection.
      """)

  @OptionGroup var data: DataOptions

  @Option(
    name: .customLong("listen"),
    help: ArgumentHelp("Where devices call. Port 0 takes a free one.", valueName: "address:port"))
  var address = "127.0.0.1:7443"

  @OptionGroup var store: StoreOptions
  @OptionGroup var purchases: PurchaseOptions
  @OptionGroup var web: WebOptions
  @OptionGroup var bounds: LimitOptions

  @Option(
    name: .customLong("advertise"),
    help: ArgumentHelp(
      "What pairing links say, where that is not what --listen says.", valueName: "host:port"))
  var advertisedAddress: String?

  /// The name of --advertise before 1.0.
  @Option(name: .customLong("public"), help: .hidden) var formerAdvertisedAddress: String?

  @Option(
    name: .customLong("tls-cert"),
    help: ArgumentHelp(
      "A certificate chain of an authority's (PEM), in place of the server's own.",
      valueName: "file"))
  var certificate: String?

  @Option(
    name: .customLong("tls-key"),
    help: ArgumentHelp("The certificate's key (PEM).", valueName: "file"))
  var key: String?

  @Option(
    name: .customLong("trusted-proxy"),
    help: ArgumentHelp(
      "A proxy that tells where calls come from (x-forwarded-for). May be given more than once.",
      valueName: "address"))
  var proxies: [String] = []

  @Flag(help: "Do not encrypt. Only for 127.0.0.1 and [::1]: tests, or a proxy that encrypts.")
  var insecure = false

  @Option(
    name: .customLong("metrics"),
    help: ArgumentHelp(
      "Serve /metrics for Prometheus, /healthz and /readyz over HTTP, unencrypted: 127.0.0.1:9464.",
      valueName: "address:port"))
  var metricsAddress: String?

  @OptionGroup var log: LogOptions

  func run() async throws {
    try await reported { try await serve() }
  }

  private func serve() async throws {
    Allocator.sharesArenas()
    let settings = LogSettings(level: log.level, format: log.format)
    let logger = Logger(label: "atrest-syncd") { _ in LineLogHandler(settings) }
    if formerAdvertisedAddress != nil { printError("--public is called --advertise now.\n") }
    var configuration = try configuration(logger)
    fitConnections(&configuration)
    let observation = try Observation(metricsAddress)
    configuration.metrics = observation?.metrics
    var reload = Reload(settings, logger)
    // Install signal handling first. SIGPIPE from a closed connection must not end the process, and
    // a signal during startup must lead to an orderly stop.
    let (signals, arrived) = AsyncStream.makeStream(of: SignalWatcher.Signal.self)
    let isStopping = StopFlag()
    let watcher = SignalWatcher([.interrupt, .terminate, .hangUp]) { signal in
      guard signal != .hangUp else {
        _ = arrived.yield(signal)
        return
      }
      // The second signal ends the process at once. Acknowledged data is durable anyway.
      if isStopping.raise() { endProcess(.temporary) }
      arrived.yield(signal)
    }
    defer { watcher.stop() }

    let server: Server
    do throws(ServerError) { server = try await Server.start(configuration) } catch {
      throw CommandFailure(error.userMessage, ExitStatus(error))
    }
    logger.info(
      "started",
      metadata: [
        "address": "\(server.address)", "data": "\(data.path)", "web": "\(web.description)",
      ])
    printLine("atrest-syncd listening on \(server.address)")
    do throws(SocketError) { try observation?.begin(server, logger) } catch {
      await server.stop()
      throw CommandFailure("--metrics: " + error.userMessage, ExitStatus(.socket(error)))
    }
    let trimming = Task { await Allocator.trimAgainAndAgain() }
    defer { trimming.cancel() }
    for await signal in signals {
      guard signal == .hangUp else {
        logger.info("stopping", metadata: ["signal": "\(signal)"])
        break
      }
      reload(server)
    }
    await observation?.end()
    await server.stop()
  }

  /// Bounds connections by what the system lets the process open, and says so.
  private func fitConnections(_ configuration: inout Server.Configuration) {
    let descriptors = OpenFiles.raiseLimit()
    let limits = configuration.limits.fitted(toDescriptors: descriptors)
    guard limits.connections < configuration.limits.connections else { return }
    configuration.limits = limits
    configuration.warnings.raise(
      .openFiles,
      "the process may open \(descriptors) files, so there are at most \(limits.connections) connections, \(limits.maxUnauthenticatedConnections) without a token and \(limits.connectionsPerAddress) of an address: raise the limit with LimitNOFILE= or ulimit -n"
    )
  }

  /// What the options say, without looking at the data.
  /// - Throws: `CommandFailure` if they cannot be served.
  func configuration(_ logger: Logger) throws -> Server.Configuration {
    let listen: SocketAddress
    do throws(SocketError) { listen = try SocketAddress(parsing: address) } catch {
      throw CommandFailure("--listen: " + error.userMessage, .usage)
    }
    if case .unix = listen {
      throw CommandFailure(
        "--listen: devices call over TCP. Choose an address like 127.0.0.1:7443.", .usage)
    }
    let advertisedAddress = advertisedAddress ?? formerAdvertisedAddress
    if let advertisedAddress, (try? Endpoint(parsing: advertisedAddress)) == nil {
      throw CommandFailure("--advertise is not HOST:PORT. Say what devices are to call.", .usage)
    }
    if listen.isAnyAddress, advertisedAddress == nil, !insecure {
      throw CommandFailure(
        "\(address) stands for every address of this machine. Say with --advertise HOST:PORT what devices are to call.",
        .usage)
    }
    let trusted = try proxies.map { text in
      guard let address = SocketAddress(host: text) else {
        throw CommandFailure("--trusted-proxy \(text) is not an address such as 192.0.2.1.", .usage)
      }
      return address
    }
    var configuration = Server.Configuration(
      dataDirectory: data.path, listenAddress: listen, logger: logger,
      onFatal: { _ in endProcess(.inputOutput) })
    configuration.databases = try store.databases()
    configuration.databaseSession = store.session
    configuration.encryption = try encryption()
    configuration.advertisedAddress = advertisedAddress
    configuration.purchases = try purchases.policy()
    configuration.limits = try bounds.limits()
    configuration.proxies = TrustedProxies(trusted, warnings: configuration.warnings)
    if insecure, trusted.isEmpty, let advertisedAddress, isElsewhere(advertisedAddress) {
      configuration.warnings.raise(
        .advertisedAddress,
        "devices call \(advertisedAddress) and the server listens without encryption: if a proxy stands between, name it with --trusted-proxy, or all of its callers share one bound of wrong pairing codes"
      )
    }
    configuration.site = try web.site(isKnownByAuthority: certificate != nil)
    configuration.shardCount = LimitOptions.shardCount
    return configuration
  }

  /// Whether devices call another address than this machine's own.
  private func isElsewhere(_ address: String) -> Bool {
    guard let host = (try? Endpoint(parsing: address))?.host, host != "localhost" else {
      return false
    }
    return SocketAddress(host: host)?.isLoopback != true
  }

  private func encryption() throws -> Encryption {
    switch (certificate, key, insecure) {
    case (nil, nil, true): return .none
    case (nil, nil, false): return .own
    case (let certificate?, let key?, false): return .files(certificate: certificate, key: key)
    case (_, _, true):
      throw CommandFailure(
        "--insecure and a certificate exclude each other. Give one of them.", .usage)
    default:
      throw CommandFailure("--tls-cert and --tls-key go together. Give both, or none.", .usage)
    }
  }
}
