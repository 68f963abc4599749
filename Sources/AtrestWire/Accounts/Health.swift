// SPDX-License-Identifier: Apache-2.0
// The messages of the standard gRPC health service.

/// Requests a service's health.
public struct HealthCheckRequest: WireMessage, FieldWriting {
  /// The service's full name; empty for the whole server.
  public var service: String

  /// Creates a request from its fields.
  public init(service: String) {
    self.service = service
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var service: Slice?
      while let field = try fields.next() {
        switch Fields.HealthCheckRequest(rawValue: field.number) {
        case .service: service = try field.content()
        case nil: break
        }
      }
      return HealthCheckRequest(service: try String(service, limitBytes: Limit.serviceBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.HealthCheckRequest.service, service)
  }
}

/// A service's health.
public struct HealthCheckResponse: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var state: UInt32 = 0
      while let field = try fields.next() {
        switch Fields.HealthCheckResponse(rawValue: field.number) {
        case .status: state = try field.uint32()
        case nil: break
        }
      }
      return HealthCheckResponse(state: State(rawValue: Int(truncatingIfNeeded: state)) ?? .unknown)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.enumeration(Fields.HealthCheckResponse.status, UInt32(state.rawValue))
  }
}
