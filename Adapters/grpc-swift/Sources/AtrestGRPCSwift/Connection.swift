// SPDX-License-Identifier: Apache-2.0
// A connection of grpc-swift, and the task that runs it.

import AtrestClient
import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// Connects at once, and closes when released.
final class Connection: Sendable {
  /// The time for opening a stream, in which TCP, TLS and HTTP/2 get ready. A unary call has a
  /// timeout of its own; grpc-swift limits TCP alone.
  private static let openingTime = Duration.seconds(15)

  let transport: HTTP2ClientTransport.Posix
  /// Makes unary calls. Nothing runs it: the transport runs by itself.
  let client: GRPCClient<HTTP2ClientTransport.Posix>
  private let running: Task<Void, Never>

  /// - Throws: If TLS cannot be configured.
  init(to server: ServerAddress) throws {
    let transport = try HTTP2ClientTransport.Posix(
      target: server.target, transportSecurity: server.security, config: .replica)
    self.transport = transport
    client = GRPCClient(transport: transport)
    running = Task { try? await transport.connect() }
  }

  deinit { stop() }

  /// Ends all calls, and waits until the connection is closed.
  func close() async {
    stop()
    await running.value
  }

  /// Ends all calls, those that wait for the connection included.
  private func stop() {
    transport.beginGracefulShutdown()  // Cancelling alone would leave the waiting ones there.
    running.cancel()
  }

  /// Stops a connection that gets no stream open. Cancel the task once it did.
  func limitOpening() -> Task<Void, any Error> {
    Task {
      try await Task.sleep(for: Self.openingTime)
      stop()
    }
  }
}

extension HTTP2ClientTransport.Posix.Config {
  /// The values of the transport on Linux.
  fileprivate static let replica = defaults { config in
    // Short, because a phone that slept may find a connection that only it takes for open.
    config.connection.maxIdleTime = .seconds(60)
    config.connection.keepalive = HTTP2ClientTransport.Config.Keepalive(
      time: .seconds(60), timeout: .seconds(20), allowWithoutCalls: false)
    config.compression.enabledAlgorithms = .gzip
    // What a slow reader of a stream lets the server send ahead: one page of records.
    config.http2.targetWindowSize = 256 * 1024
  }
}
