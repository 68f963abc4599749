// SPDX-License-Identifier: Apache-2.0
// What a server says of itself to whoever watches it.

import AtrestHTTP2
import AtrestMetrics
import AtrestProtocol
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite("Metrics", .timeLimit(.minutes(20)))
struct MetricsTests {
  @Test("calls, commits and what is open are counted; no name of a person or device is a label")
  func everything() async throws {
    let folder = try Folder()
    let registry = PrometheusRegistry()
    var configuration = Server.Configuration(
      dataDirectory: folder.data, listenAddress: .ipv4(octets: [127, 0, 0, 1], port: 0),
      logger: quiet, onFatal: { _ in })
    configuration.metrics = ServerMetrics(factory: registry)
    let server = try await Server.start(configuration)
    let owner = try GRPCChannel(
      to: .address(.unix(path: Server.adminSocketPath(in: folder.data))))
    let device = try GRPCChannel(to: .address(server.address))
    let invitation = try Invitation(
      unpacking: try await owner.unary(
        Method.Admin.addAccount, AccountRequest(name: "Zenobia").packed))
    let paired = try PairResponse(
      decoding: try await device.unary(
        Method.Devices.pair,
        PairRequest(code: invitation.code, deviceName: "Xanthippe").encoded))
    _ = try? await device.unary("/atrest.sync.v1.Sync/Nothing", [])
    _ = try? await device.unary(Method.Sync.exchange, [])

    server.updateMetrics()
    let text = registry.text()
    let lines = text.split(separator: "\n")
    let value = { (series: String) in
      lines.first { $0.hasPrefix(series + " ") }.flatMap { Double($0.dropFirst(series.count + 1)) }
    }
    let handled = { (service: String, method: String, code: String) in
      value(
        "grpc_server_handled_total{grpc_service=\"\(service)\",grpc_method=\"\(method)\",grpc_code=\"\(code)\"}"
      )
    }
    #expect(handled("atrest.sync.v1.Devices", "Pair", "OK") == 1)
    #expect(handled("atrest.sync.v1.Sync", "Exchange", "UNAUTHENTICATED") == 1)
    #expect(handled("unknown", "unknown", "UNIMPLEMENTED") == 1)
    #expect(value("atrest_accounts") == 1 && value("atrest_devices") == 1)
    #expect(value("atrest_connections{state=\"unauthenticated\"}") == 1)
    #expect((value("atrest_commit_jobs_count") ?? 0) >= 2)
    #expect((value("atrest_disk_free_bytes") ?? 0) > 0)
    #expect(value("atrest_serving") == 1)
    #expect(value("atrest_store_errors_total{kind=\"full\"}") == 0)
    #expect(!text.contains("Zenobia") && !text.contains("Xanthippe"))
    #expect(!text.contains(paired.token))

    await device.close()
    await owner.close()
    await server.stop()
    #expect(!server.report.isServing)
  }

  @Test("every metric has its meaning written down")
  func help() {
    let registry = PrometheusRegistry(help: ServerMetrics.help)
    let metrics = ServerMetrics(factory: registry)
    metrics.calls.record(EndedCall(path: nil, code: .ok, duration: .seconds(1)))
    let names = registry.text().split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
      .map { String($0.split(separator: " ")[2]) }
    #expect(names.count > 10)
    for name in names { #expect(ServerMetrics.help[name] != nil, "\(name)") }
  }
}
