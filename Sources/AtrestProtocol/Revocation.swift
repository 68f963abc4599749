// SPDX-License-Identifier: Apache-2.0
// The messages that end a device's access. The same bytes serve `Devices.Revoke` and
// `Admin.RevokeDevice`.

import AtrestReplication
import CAtrestProtos

/// Names the device whose access is to end.
public struct RevokeDeviceRequest: WireMessage {
  /// Its identity.
  public var replica: ReplicaID
  /// Whether the access of its descendants ends, too: see `Lineage`.
  public var withDescendants: Bool

  /// A request.
  public init(replica: ReplicaID, withDescendants: Bool = false) {
    self.replica = replica
    self.withDescendants = withDescendants
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_request__unpack) { message in
      RevokeDeviceRequest(
        replica: ReplicaID(rawValue: message.replica),
        withDescendants: message.with_descendants != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__revoke_device_request__init) { message, _ in
      message.replica = replica.rawValue
      message.with_descendants = withDescendants ? 1 : 0
    }
  }
}

/// Whose access ended, and which descendants have theirs still. No device is in two of the lists.
public struct RevokeDeviceResponse: WireMessage {
  /// Whose access the call ended. Those that had none before are left out; empty from servers that
  /// do not say.
  public var revoked: [ReplicaID]
  /// Descendants that `withDescendants` would have ended the access of, and did not.
  public var remaining: [ReplicaID]
  /// Descendants that it does not: the caller, and those that descend through the caller only.
  public var spared: [ReplicaID]

  /// An answer.
  public init(
    revoked: [ReplicaID] = [], remaining: [ReplicaID] = [], spared: [ReplicaID] = []
  ) {
    self.revoked = revoked
    self.remaining = remaining
    self.spared = spared
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_response__unpack) { message in
      RevokeDeviceResponse(
        revoked: replicas(message.revoked, message.n_revoked),
        remaining: replicas(message.remaining, message.n_remaining),
        spared: replicas(message.spared, message.n_spared))
    }
  }

  /// The bytes on the wire.
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
