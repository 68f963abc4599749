// SPDX-License-Identifier: Apache-2.0
// The transport on this package's own HTTP/2, sockets and TLS, which are Linux's.

import AtrestSync

#if os(Linux)
  import AtrestHTTP2
  import AtrestRPC
  import AtrestSockets
  import AtrestTLS
  import AtrestWire

  /// One channel to one server.
  final class ChannelTransport: ClientTransport {
    /// Time without a call after which the connection is closed: short, because a phone that slept
    /// may find a connection that only it takes for open.
    private static let idleTime = Duration.seconds(60)

    private let channel: GRPCChannel

    /// Creates a transport. Does not connect yet.
    ///
    /// - Throws: `.unreachable` if the address or the TLS configuration is invalid.
    init(to server: ServerAddress) throws(SyncError) {
      var configuration = GRPCChannel.Configuration()
      configuration.compression = .gzip
      configuration.limits.idleConnection = Self.idleTime
      do {
        if let trust = server.trust { configuration.tls = try ClientTLS(trust) }
      } catch {
        throw .unreachable(error.userMessage)
      }
      do {
        channel = try GRPCChannel(
          to: Endpoint(parsing: server.endpoint), configuration: configuration)
      } catch {
        throw .unreachable(error.userMessage)
      }
    }

    func unary(
      _ method: String, _ message: [UInt8], credential: String?, timeout: Duration
    ) async throws(CallFailure) -> [UInt8] {
      do {
        return try await channel.unary(
          method, message, metadata: Self.metadata(credential), timeout: timeout)
      } catch {
        throw failure(error)
      }
    }

    func serverStream(
      _ method: String, _ message: [UInt8], credential: String?,
      receive: @Sendable ([UInt8]) async -> Bool
    ) async throws(CallFailure) {
      let stream = channel.serverStream(method, message, metadata: Self.metadata(credential))
      defer { stream.cancel() }
      var messages = stream.makeAsyncIterator()
      do {
        while let message = try await messages.next() {
          guard await receive(message) else { return }
        }
      } catch {
        throw failure(error)
      }
    }

    func close() async { await channel.close() }

    private static func metadata(_ credential: String?) -> Metadata {
      var metadata = Metadata()
      if let credential { metadata.add("authorization", "Bearer \(credential)") }
      return metadata
    }

    /// An untrusted server takes precedence over its consequences.
    private func failure(_ error: any Error) -> CallFailure {
      if let distrust = channel.tlsFailure?.distrust { return .untrusted(distrust.userMessage) }
      guard let status = error as? Status else { return .cancelled }
      guard !status.isSubstitute else { return .answeredElsewhere(status.message) }
      return .status(
        status.code.rawValue, message: status.message,
        details: try? ErrorDetails(decoding: status.details))
    }
  }

  extension ServerAddress {
    /// The trust policy for connecting; nil for plaintext.
    fileprivate var trust: ClientTrust? {
      switch proof {
      case .none: nil
      case .certificate(let fingerprint): .pinned(fingerprint)
      case .authority: .system(name: host)
      }
    }
  }

  extension Connector {
    /// Connects with what this platform has: here this package's own HTTP/2 and TLS.
    public static let platform = Connector { server throws(SyncError) in
      try ChannelTransport(to: server)
    }
  }
#else
  extension Connector {
    /// Connects to no server: this platform has no transport of its own. Open the replica with the
    /// connector of another package, `Adapters/grpc-swift` for instance.
    public static let platform = Connector { _ throws(SyncError) in
      throw .unreachable("this app opened its replica without a connector")
    }
  }
#endif
