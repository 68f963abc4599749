// SPDX-License-Identifier: Apache-2.0
// The messages that revoke devices. `Devices.Revoke` and `Admin.RevokeDevice` share one wire
// format.

import AtrestDomain
import AtrestReplication

/// Revokes a device.
public struct RevokeDeviceRequest: WireMessage, FieldWriting {
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
      var request = RevokeDeviceRequest(replica: .none)
      while let field = try fields.next() {
        switch Fields.RevokeDeviceRequest(rawValue: field.number) {
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
    sink.fixed64(Fields.RevokeDeviceRequest.replica, replica.rawValue)
    sink.flag(Fields.RevokeDeviceRequest.withDescendants, withDescendants)
  }
}

/// The revoked devices, and the descendants that still have access.
public typealias RevokeDeviceResponse = Revocation

extension Revocation: WireMessage, FieldWriting {
  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var (revoked, remaining, spared) = ([UInt64](), [UInt64](), [UInt64]())
      while let field = try fields.next() {
        switch Fields.RevokeDeviceResponse(rawValue: field.number) {
        case .revoked: try field.append(to: &revoked)
        case .remaining: try field.append(to: &remaining)
        case .spared: try field.append(to: &spared)
        case nil: break
        }
      }
      return RevokeDeviceResponse(
        revoked: revoked.map { ReplicaID(rawValue: $0) },
        remaining: remaining.map { ReplicaID(rawValue: $0) },
        spared: spared.map { ReplicaID(rawValue: $0) })
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.packed(Fields.RevokeDeviceResponse.revoked, revoked.map { $0.rawValue })
    sink.packed(Fields.RevokeDeviceResponse.remaining, remaining.map { $0.rawValue })
    sink.packed(Fields.RevokeDeviceResponse.spared, spared.map { $0.rawValue })
  }
}
