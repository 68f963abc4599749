// SPDX-License-Identifier: Apache-2.0
// The messages for revoking devices. `Devices.Revoke` and `Admin.RevokeDevice` share one encoding.

import AtrestReplication
import CAtrestProtos

/// Selects the devices to revoke.
public struct RevokeDeviceRequest: WireMessage {
  /// The device's identity.
  public var replica: ReplicaID
  /// Whether to revoke its descendants, too. See `Lineage`.
  public var withDescendants: Bool

  /// Creates a request.
  public init(replica: ReplicaID, withDescendants: Bool = false) {
    self.replica = replica
    self.withDescendants = withDescendants
  }

  /// Decodes a request. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_request__unpack) { message in
      RevokeDeviceRequest(
        replica: ReplicaID(rawValue: message.replica),
        withDescendants: message.with_descendants != 0)
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__revoke_device_request__init) { message, _ in
      message.replica = replica.rawValue
      message.with_descendants = withDescendants ? 1 : 0
    }
  }
}

/// The affected devices, in three disjoint lists.
public struct RevokeDeviceResponse: WireMessage {
  /// Devices that the call revoked. Does not contain devices that were revoked before. Empty from
  /// older servers.
  public var revoked: [ReplicaID]
  /// Descendants that still have access and that `withDescendants` would have revoked.
  public var remaining: [ReplicaID]
  /// Descendants that `withDescendants` does not revoke: the caller, and those that descend only
  /// through it.
  public var spared: [ReplicaID]

  /// Creates a response.
  public init(
    revoked: [ReplicaID] = [], remaining: [ReplicaID] = [], spared: [ReplicaID] = []
  ) {
    self.revoked = revoked
    self.remaining = remaining
    self.spared = spared
  }

  /// Decodes a response. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_response__unpack) { message in
      RevokeDeviceResponse(
        revoked: replicas(message.revoked, message.n_revoked),
        remaining: replicas(message.remaining, message.n_remaining),
        spared: replicas(message.spared, message.n_spared))
    }
  }

  /// The encoded message.
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
