// SPDX-License-Identifier: Apache-2.0
// The messages of the standard gRPC health service.

import CAtrestProtos

/// Requests a service's health.
public struct HealthCheckRequest: WireMessage {
  /// The service's full name; empty for the whole server.
  public var service: String

  /// Creates a request from its fields.
  public init(service: String) {
    self.service = service
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_request__unpack) {
      message throws(WireError) in
      HealthCheckRequest(service: try text(message.service, limitBytes: 256))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(grpc__health__v1__health_check_request__init) { message, arena in
      message.service = arena.text(service)
    }
  }
}

/// A service's health.
public struct HealthCheckResponse: WireMessage {
  /// The states of grpc.health.v1.
  public enum State: Int, Hashable, Sendable {
    /// The state is unknown.
    case unknown = 0
    /// The service answers calls.
    case serving = 1
    /// The service is stopping.
    case notServing = 2
    /// The service does not exist.
    case serviceUnknown = 3
  }

  /// The service's state.
  public var state: State

  /// Creates a response from its fields.
  public init(state: State) {
    self.state = state
  }

  /// Decodes a response. A state of a newer version becomes `.unknown`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_response__unpack) { message in
      HealthCheckResponse(state: State(rawValue: Int(message.status.rawValue)) ?? .unknown)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(grpc__health__v1__health_check_response__init) { message, _ in
      message.status = .init(rawValue: .init(state.rawValue))
    }
  }
}
