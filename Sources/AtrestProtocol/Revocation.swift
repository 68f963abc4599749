// SPDX-License-Identifier: Apache-2.0
// The messages that revoke devices. `Devices.Revoke` and `Admin.RevokeDevice` share one wire
// format.

import AtrestReplication
import CAtrestProtos

/// Revokes a device.
public struct RevokeDeviceRequest: WireMessage {
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
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_request__unpack) { message in
      RevokeDeviceRequest(
        replica: ReplicaID(rawValue: message.replica),
        withDescendants: message.with_descendants != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__revoke_device_request__init) { message, _ in
      message.replica = replica.rawValue
      message.with_descendants = withDescendants ? 1 : 0
    }
  }
}

/// The revoked devices, and the descendants that still have access. The lists are disjoint.
public struct RevokeDeviceResponse: WireMessage {
  /// Devices revoked by this call, without those revoked before. Empty from servers that do not
  /// report it.
  public var revoked: [ReplicaID]
  /// Descendants that still have access because `withDescendants` was false.
  public var remaining: [ReplicaID]
  /// Descendants that `withDescendants` spares: the caller, and those that descend only through it.
  public var spared: [ReplicaID]

  /// Creates a response from its fields.
  public init(
    revoked: [ReplicaID] = [], remaining: [ReplicaID] = [], spared: [ReplicaID] = []
  ) {
    self.revoked = revoked
    self.remaining = remaining
    self.spared = spared
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_response__unpack) { message in
      RevokeDeviceResponse(
        revoked: replicas(message.revoked, message.n_revoked),
        remaining: replicas(message.remaining, message.n_remaining),
        spared: replicas(message.spared, message.n_spared))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__sync__v1__revoke_device_response__init,
      expectedBytes: (revoked.count + remaining.count + spared.count) * 16 + 512
    ) { message, arena in
      message.n_revoked = revoked.count
      message.revoked = arena.array(revoked, \.rawValue)
      message.n_remaining = remaining.count
      message.remaining = arena.array(remaining, \.rawValue)
      message.n_spared = spared.count
      message.spared = arena.array(spared, \.rawValue)
    }
  }
}

private func replicas(_ numbers: UnsafeMutablePointer<UInt64>?, _ count: Int) -> [ReplicaID] {
  UnsafeBufferPointer(start: numbers, count: numbers == nil ? 0 : count)
    .map(ReplicaID.init(rawValue:))
}
