// SPDX-License-Identifier: Apache-2.0
// The daemon: starts the server, and stops it when asked to.

import ArgumentParser
import AtrestServer
import DispatchNet
import Foundation
import Logging

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the server until it is told to stop (Ctrl-C, or SIGTERM).")

  @OptionGroup var data: DataOptions

  @Option(
    name: .customLong("listen"),
    help: ArgumentHelp("Where devices call. Port 0 takes a free one.", valueName: "address:port"))
  var address = "127.0.0.1:7443"

  @Option(
    name: .customLong("log-level"),
    help: ArgumentHelp(
      "trace, debug, info, notice, warning, error or critical.", valueName: "level"),
    transform: Self.level)
  var logLevel: Logger.Level = .info

  func run() async throws {
    try await reported { try await serve() }
  }

  private func serve() async throws {
    let level = logLevel
    let logger = Logger(label: "atrest-syncd") { _ in LineLogHandler(logLevel: level) }
    let listen: SocketAddress
    do throws(SocketError) { listen = try SocketAddress(parsing: address) } catch {
      throw Failure(error.userMessage, .usage)
    }
    if case .unix = listen {
      throw Failure("Devices call over TCP. Choose an address like 127.0.0.1:7443.", .usage)
    }
    // Before there are connections: a peer that is gone must not end the process. And before the store is
    // opened: a signal that comes early must find a server that stops in order.
    let (signals, arrived) = AsyncStream.makeStream(of: SignalWatcher.Signal.self)
    let isStopping = StopFlag()
    let watcher = SignalWatcher([.interrupt, .terminate]) { signal in
      // Asked twice: do not wait for anybody. What was acknowledged is safe all the same.
      if isStopping.raise() { endProcess(.temporary) }
      arrived.yield(signal)
    }
    defer { watcher.stop() }

    var configuration = Server.Configuration(
      dataDirectory: data.path, listenAddress: listen, logger: logger,
      onFatal: { _ in endProcess(.inputOutput) })
    configuration.shardCount = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8)
    let server: Server
    do throws(ServerError) { server = try await Server.start(configuration) } catch {
      throw Failure(error.userMessage, ExitStatus(error))
    }
    logger.info("started", metadata: ["address": "\(server.address)", "data": "\(data.path)"])
    printLine("atrest-syncd listening on \(server.address)")
    for await signal in signals {
      logger.info("stopping", metadata: ["signal": "\(signal)"])
      break
    }
    await server.stop()
  }

  private static func level(_ name: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: name) else {
      throw ValidationError("“\(name.prefix(40))” is no log level.")
    }
    return level
  }
}
