// SPDX-License-Identifier: Apache-2.0
// The messages that revoke devices. `Devices.Revoke` and `Admin.RevokeDevice` share one wire
// format.

import AtrestDomain
import AtrestReplication

/// Revokes a device.
public struct DevicesRevokeRequest: WireMessage, FieldWriting {
  /// Its replica ID.
  public var replica: ReplicaID
  /// Whether to revoke its descendants too: see `Lineage`.
  public var withDescendants: Bool

  /// Creates a request from its fields.
  public init(replica: ReplicaID, withDescendants: Bool = false) {
    self.replica = replica
    self.withDescendants = withDescendants
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var request = DevicesRevokeRequest(replica: .none)
      while let field = try fields.next() {
        switch Fields.DevicesRevokeRequest(rawValue: field.number) {
        case .replica: request.replica = ReplicaID(rawValue: try field.fixed64())
        case .withDescendants: request.withDescendants = field.bool
        case nil: break
        }
      }
      return request
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.DevicesRevokeRequest.replica, replica.rawValue)
    sink.flag(Fields.DevicesRevokeRequest.withDescendants, withDescendants)
  }
}

/// The revoked devices, and the descendants that still have access.
public typealias DevicesRevokeResponse = Revocation

extension Revocation: WireMessage, FieldWriting {
  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var (revoked, remaining, spared) = ([UInt64](), [UInt64](), [UInt64]())
      while let field = try fields.next() {
        switch Fields.DevicesRevokeResponse(rawValue: field.number) {
        case .revokedReplicas: try field.append(to: &revoked)
        case .remainingReplicas: try field.append(to: &remaining)
        case .sparedReplicas: try field.append(to: &spared)
        case nil: break
        }
      }
      return DevicesRevokeResponse(
        revoked: revoked.map { ReplicaID(rawValue: $0) },
        remaining: remaining.map { ReplicaID(rawValue: $0) },
        spared: spared.map { ReplicaID(rawValue: $0) })
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.packed(Fields.DevicesRevokeResponse.revokedReplicas, revoked.map { $0.rawValue })
    sink.packed(Fields.DevicesRevokeResponse.remainingReplicas, remaining.map { $0.rawValue })
    sink.packed(Fields.DevicesRevokeResponse.sparedReplicas, spared.map { $0.rawValue })
  }
}
