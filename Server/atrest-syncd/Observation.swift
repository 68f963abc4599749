// SPDX-License-Identifier: Apache-2.0
// Serves a server's metrics and probes, where somebody asked for them.

import AtrestCommandLine
import AtrestMetrics
import AtrestServer
import AtrestSockets
import Logging
import Synchronization

/// The metrics of this process and the endpoint that serves them.
final class Observation: Sendable {
  /// Where the server counts.
  let metrics: ServerMetrics
  private let process: ProcessMetrics
  private let registry: PrometheusRegistry
  private let address: SocketAddress
  private let endpoint = Mutex<MetricsEndpoint?>(nil)

  /// - Parameter address: `ADDRESS:PORT`. Nil: nobody asked.
  /// - Throws: `CommandFailure` if it is no address.
  init?(_ address: String?) throws {
    guard let address else { return nil }
    do throws(SocketError) { self.address = try SocketAddress(parsing: address) } catch {
      throw CommandFailure("--metrics: " + error.userMessage, .usage)
    }
    registry = PrometheusRegistry(
      help: ServerMetrics.help.merging(ProcessMetrics.help) { first, _ in first },
      bounds: ServerMetrics.bounds)
    metrics = ServerMetrics(factory: registry)
    process = ProcessMetrics(factory: registry)
  }

  /// Listens.
  func begin(_ server: Server, _ logger: Logger) throws(SocketError) {
    let (registry, process) = (registry, process)
    let endpoint = try MetricsEndpoint(on: address) { [weak server] path in
      if path == "/metrics" { process.update() }
      return Self.answer(path, server, registry)
    }
    logger.info("metrics are served", metadata: ["address": "\(endpoint.address)"])
    self.endpoint.withLock { $0 = endpoint }
  }

  /// Stops listening.
  func end() async {
    let endpoint = endpoint.withLock { endpoint in
      defer { endpoint = nil }
      return endpoint
    }
    await endpoint?.stop()
  }

  private static func answer(
    _ path: String, _ server: Server?, _ registry: PrometheusRegistry
  ) -> ProbeAnswer? {
    switch path {
    case "/metrics":
      server?.updateMetrics()
      return ProbeAnswer(
        "200 OK", registry.text(), contentType: "text/plain; version=0.0.4; charset=utf-8")
    case "/healthz":
      return ProbeAnswer("200 OK", "alive\n")
    case "/readyz":
      let isReady = server?.report.isServing ?? false
      return isReady
        ? ProbeAnswer("200 OK", "ready\n")
        : ProbeAnswer("503 Service Unavailable", "The store takes no writes at the moment.\n")
    default:
      return nil
    }
  }
}
