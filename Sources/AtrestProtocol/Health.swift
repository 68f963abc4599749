// SPDX-License-Identifier: Apache-2.0
// The messages of the standard health service.

import CAtrestProtos

/// Asks how a service is.
public struct HealthCheckRequest: WireMessage {
  /// A service's full name; empty for the server as a whole.
  public var service: String

  /// A request.
  public init(service: String) {
    self.service = service
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_request__unpack) {
      message throws(WireError) in
      HealthCheckRequest(service: try text(message.service, limitBytes: 256))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(grpc__health__v1__health_check_request__init) { message, arena in
      message.service = arena.text(service)
    }
  }
}

/// How a service is.
public struct HealthCheckResponse: WireMessage {
  /// The standard's states.
  public enum State: Int, Hashable, Sendable {
    /// Nothing is known.
    case unknown = 0
    /// It answers.
    case serving = 1
    /// It is about to stop.
    case notServing = 2
    /// There is no such service.
    case serviceUnknown = 3
  }

  /// The state.
  public var state: State

  /// An answer.
  public init(state: State) {
    self.state = state
  }

  /// Decodes an answer; a state of a newer version is unknown.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_response__unpack) { message in
      HealthCheckResponse(state: State(rawValue: Int(message.status.rawValue)) ?? .unknown)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(grpc__health__v1__health_check_response__init) { message, _ in
      message.status = .init(rawValue: .init(state.rawValue))
    }
  }
}
