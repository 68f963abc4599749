// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the standard gRPC health service.

import AtrestWire
import CAtrestProtos

extension HealthCheckRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_request__unpack) {
      message throws(WireError) in
      HealthCheckRequest(service: try text(message.service, limitBytes: Limit.serviceBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(grpc__health__v1__health_check_request__init) { message, arena in
      message.service = arena.text(service)
    }
  }
}

extension HealthCheckResponse: PackedMessage {
  /// Unpacks a response. A state of a newer version becomes `.unknown`.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: grpc__health__v1__health_check_response__unpack) { message in
      HealthCheckResponse(state: State(rawValue: Int(message.status.rawValue)) ?? .unknown)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(grpc__health__v1__health_check_response__init) { message, _ in
      message.status = .init(rawValue: .init(state.rawValue))
    }
  }
}

/// The health of all services.
public struct HealthListResponse: Hashable, Sendable {
  /// By the full name of the service; the empty name is the whole server.
  public let states: [String: HealthCheckResponse.State]

  /// Creates a response from its fields.
  public init(states: [String: HealthCheckResponse.State]) { self.states = states }

  /// The protobuf encoding, sorted by name. A map is a repeated message of a key and a value.
  public var packed: [UInt8] {
    var bytes: [UInt8] = []
    for (name, state) in states.sorted(by: { $0.key < $1.key }) {
      var entry: [UInt8] = []
      entry.append(field: 1, name.utf8)
      entry.append(field: 2, HealthCheckResponse(state: state).packed)
      bytes.append(field: 1, entry)
    }
    return bytes
  }
}
