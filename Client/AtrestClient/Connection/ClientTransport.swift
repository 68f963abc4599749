// SPDX-License-Identifier: Apache-2.0
// What a client needs of a gRPC library: unary calls, server streams, and the status of each.

import AtrestSync
import AtrestWire

/// A gRPC connection to one server. Implement it to run the client on another gRPC library.
///
/// Connects on the first call, and again after a failure. Never repeats a call. Messages are
/// protobuf-encoded already.
public protocol ClientTransport: AnyObject, Sendable {
  /// Makes a unary call. Cancelling the task cancels the call.
  ///
  /// - Parameters:
  ///   - method: `/package.Service/Method`.
  ///   - message: The request.
  ///   - credential: Sent as `authorization: Bearer CREDENTIAL`; nil before pairing. Printable
  ///     ASCII without spaces.
  ///   - timeout: Time for the whole call, connecting included.
  /// - Returns: The response.
  func unary(
    _ method: String, _ message: [UInt8], credential: String?, timeout: Duration
  ) async throws(CallFailure) -> [UInt8]

  /// Makes a server-streaming call without a timeout. Cancelling the task cancels the call.
  ///
  /// - Parameter receive: Called for each response, in order. The next one waits until it returns,
  ///   which is the backpressure. Returning false cancels the call, without an error.
  func serverStream(
    _ method: String, _ message: [UInt8], credential: String?,
    receive: @Sendable ([UInt8]) async -> Bool
  ) async throws(CallFailure)

  /// Ends all calls and closes the connection. Idempotent; later calls fail.
  func close() async
}

/// Why a call failed.
public enum CallFailure: Error, Hashable, Sendable {
  /// It ended with a status other than OK: the number of a gRPC status code, its message, and what
  /// `grpc-status-details-bin` says; nil for nothing, and then it is not taken for the server's own
  /// word. A connection that fails is 14, UNAVAILABLE; a timeout is 4, DEADLINE_EXCEEDED.
  case status(Int, message: String, details: ErrorDetails? = nil)
  /// The server could not prove that it is the expected one. A sentence for people.
  case untrusted(String)
  /// The task was cancelled.
  case cancelled

  /// The answer has no gRPC status: a proxy, a portal or a web server answered in the server's
  /// place. Says nothing about this device's access, whatever the answer says.
  ///
  /// - Parameter answer: What it was, such as `HTTP status 401`.
  public static func answeredElsewhere(_ answer: String) -> CallFailure {
    .status(StatusNumber.unavailable, message: SyncError.elsewhere(answer))
  }
}

/// How a replica connects to servers.
public struct Connector: Sendable {
  package let connect: @Sendable (ServerAddress) throws(SyncError) -> any ClientTransport

  /// Creates a connector.
  ///
  /// - Parameter connect: Makes a transport to a server that proves itself as the address asks, see
  ///   `ServerAddress.proof`, and to no other. Called for each connection that a replica opens.
  public init(
    _ connect: @escaping @Sendable (ServerAddress) throws(SyncError) -> any ClientTransport
  ) {
    self.connect = connect
  }
}
