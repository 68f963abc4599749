// SPDX-License-Identifier: Apache-2.0
// The messages of the standard health service.

import CAtrestProtos

/// Selects a service.
public struct HealthCheckRequest: WireMessage {
  /// The service's full name. Empty: the server as a whole.
  public var service: String

  /// Creates a request.
  public init(service: String) {
    self.service = service
  }

  /// Decodes a request. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_request__unpack) {
      message throws(WireError) in
      HealthCheckRequest(service: try text(message.service, limitBytes: 256))
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(grpc__health__v1__health_check_request__init) { message, arena in
      message.service = arena.text(service)
    }
  }
}

/// The state of a service.
public struct HealthCheckResponse: WireMessage {
  /// The states that the standard defines.
  public enum State: Int, Hashable, Sendable {
    /// The state is unknown.
    case unknown = 0
    /// The service accepts calls.
    case serving = 1
    /// The service is about to stop.
    case notServing = 2
    /// The service is unknown.
    case serviceUnknown = 3
  }

  /// The current state.
  public var state: State

  /// Creates a response.
  public init(state: State) {
    self.state = state
  }

  /// Decodes a response. A state of a newer version becomes `unknown`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_response__unpack) { message in
      HealthCheckResponse(state: State(rawValue: Int(message.status.rawValue)) ?? .unknown)
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(grpc__health__v1__health_check_response__init) { message, _ in
      message.status = .init(rawValue: .init(state.rawValue))
    }
  }
}
