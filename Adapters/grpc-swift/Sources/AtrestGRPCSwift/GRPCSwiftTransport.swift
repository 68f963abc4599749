// SPDX-License-Identifier: Apache-2.0
// Makes a replica's calls with grpc-swift, and maps what becomes of them.

import AtrestClient
import AtrestWire
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Synchronization

extension Connector {
  /// Connects with grpc-swift and SwiftNIO.
  public static let grpcSwift = Connector { server throws(SyncError) in
    GRPCSwiftTransport(to: server)
  }
}

/// Calls one server with grpc-swift, over one connection. Closes it when released.
public final class GRPCSwiftTransport: AtrestClient.ClientTransport {
  /// Messages shorter than this many bytes are sent as they are: gzip would make them longer.
  private static let compressionThresholdBytes = 256

  private enum State {
    /// With the connection of the last call, unless it failed.
    case open(Connection?)
    case closed
  }

  private let server: ServerAddress
  private let state = Mutex(State.open(nil))

  /// Creates a transport. Does not connect yet.
  public init(to server: ServerAddress) { self.server = server }

  /// See `ClientTransport`.
  public func unary(
    _ method: String, _ message: [UInt8], credential: String?, timeout: Duration
  ) async throws(CallFailure) -> [UInt8] {
    let connection = try connection()
    var options = Self.options(for: message)
    options.timeout = timeout
    let response: ClientResponse<[UInt8]>
    do {
      response = try await connection.client.unary(
        request: ClientRequest(message: message, metadata: Self.metadata(credential)),
        descriptor: MethodDescriptor(path: method), serializer: EncodedMessages(),
        deserializer: EncodedMessages(), options: options
      ) { $0 }
    } catch {
      throw failure(error, of: connection)
    }
    switch response.accepted.flatMap(\.message) {
    case .success(let message): return message
    case .failure(let error): throw failure(answer: error, of: connection)
    }
  }

  /// See `ClientTransport`.
  public func serverStream(
    _ method: String, _ message: [UInt8], credential: String?,
    receive: @Sendable ([UInt8]) async -> Bool
  ) async throws(CallFailure) {
    let connection = try connection()
    let limit = connection.limitOpening()
    defer { limit.cancel() }
    let end: Status
    do {
      // Not by the client, whose closures escape: `receive` does not.
      end = try await connection.transport.withStream(
        descriptor: MethodDescriptor(path: method), options: Self.options(for: message)
      ) { stream, _ in
        limit.cancel()
        try await stream.outbound.write(.metadata(Self.metadata(credential)))
        try await stream.outbound.write(.message(GRPCNIOTransportBytes(message)))
        await stream.outbound.finish()
        for try await part in stream.inbound {
          switch part {
          case .metadata: break
          case .message(let bytes):
            // Leaving early cancels the call.
            guard await receive(EncodedMessages().deserialize(bytes)) else { return .done }
          case .status(let status, _): return status
          }
        }
        throw CancellationError()  // Only a cancelled stream ends without a status.
      }
    } catch {
      throw failure(error, of: connection)
    }
    if let error = RPCError(status: end) { throw failure(answer: error, of: connection) }
  }

  /// See `ClientTransport`.
  public func close() async {
    let connection = state.withLock { state -> Connection? in
      defer { state = .closed }
      guard case .open(let connection) = state else { return nil }
      return connection
    }
    await connection?.close()
  }

  /// The connection for a call.
  private func connection() throws(CallFailure) -> Connection {
    let connection = state.withLock { state -> Connection? in
      switch state {
      case .closed: return nil
      case .open(let connection?): return connection
      case .open(nil):
        let connection = try? Connection(to: server)
        state = .open(connection)
        return connection
      }
    }
    guard let connection else { throw unavailable }
    return connection
  }

  /// The next call opens another connection: grpc-swift would try this one again in the background,
  /// less and less often, and fail all calls in between. When to try again is the replica's to say.
  private func forget(_ connection: Connection) {
    state.withLock { state in
      if case .open(let current?) = state, current === connection { state = .open(nil) }
    }
  }

  /// Why a call has no answer.
  private func failure(_ error: any Error, of connection: Connection) -> CallFailure {
    if Task.isCancelled { return .cancelled }
    let error = error as? RPCError
    if let error, error.code == .deadlineExceeded {
      return .status(error.code.rawValue, message: "The server did not answer in time.")
    }
    forget(connection)
    if let cause = error?.cause, let sentence = server.sentence(distrusting: cause) {
      return .untrusted(sentence)
    }
    return unavailable
  }

  /// What an answer other than OK means. grpc-swift answers for a server that it lost.
  private func failure(answer error: RPCError, of connection: Connection) -> CallFailure {
    // A server's status has no cause, and a cancelled task may not have waited for it.
    if error.cause != nil || Task.isCancelled { return failure(error, of: connection) }
    if error.code == .unavailable { forget(connection) }
    let details = error.metadata[binaryValues: "grpc-status-details-bin"].first { _ in true }
    return .status(
      error.code.rawValue, message: error.message,
      details: details.flatMap { try? ErrorDetails(decoding: $0) })
  }

  private var unavailable: CallFailure {
    .status(
      RPCError.Code.unavailable.rawValue,
      message: """
        There is no connection to \(server.endpoint). Check the address and the network, and that \
        the server is running.
        """)
  }

  private static func metadata(_ credential: String?) -> Metadata {
    credential.map { ["authorization": "Bearer \($0)"] } ?? [:]
  }

  private static func options(for message: [UInt8]) -> CallOptions {
    var options = CallOptions.defaults
    if message.count >= compressionThresholdBytes { options.compression = .gzip }
    return options
  }
}

/// Passes messages on as they are: `AtrestClient` has encoded them.
private struct EncodedMessages: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes { Bytes(message) }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] {
    bytes.withUnsafeBytes { [UInt8]($0) }
  }
}

extension Status {
  /// The end of a stream that its receiver ended.
  fileprivate static let done = Status(code: .ok, message: "")
}

extension MethodDescriptor {
  /// - Parameter path: `/package.Service/Method`.
  fileprivate init(path: String) {
    let parts = path.split(separator: "/")
    self.init(
      fullyQualifiedService: parts.first.map(String.init) ?? "",
      method: parts.last.map(String.init) ?? "")
  }
}
