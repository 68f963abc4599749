// SPDX-License-Identifier: Apache-2.0
// Packs the messages that revoke devices.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension DevicesRevokeRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__devices_revoke_request__unpack) { message in
      DevicesRevokeRequest(
        replica: ReplicaID(rawValue: message.replica),
        withDescendants: message.with_descendants != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__devices_revoke_request__init) { message, _ in
      message.replica = replica.rawValue
      message.with_descendants = withDescendants ? 1 : 0
    }
  }
}

extension DevicesRevokeResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__devices_revoke_response__unpack) { message in
      DevicesRevokeResponse(
        revoked: replicas(message.revoked_replicas, message.n_revoked_replicas),
        remaining: replicas(message.remaining_replicas, message.n_remaining_replicas),
        spared: replicas(message.spared_replicas, message.n_spared_replicas))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__sync__v1__devices_revoke_response__init,
      expectedBytes: (revoked.count + remaining.count + spared.count) * 16 + 512
    ) { message, arena in
      message.n_revoked_replicas = revoked.count
      message.revoked_replicas = arena.array(revoked, \.rawValue)
      message.n_remaining_replicas = remaining.count
      message.remaining_replicas = arena.array(remaining, \.rawValue)
      message.n_spared_replicas = spared.count
      message.spared_replicas = arena.array(spared, \.rawValue)
    }
  }
}

private func replicas(_ numbers: UnsafeMutablePointer<UInt64>?, _ count: Int) -> [ReplicaID] {
  UnsafeBufferPointer(start: numbers, count: numbers == nil ? 0 : count)
    .map(ReplicaID.init(rawValue:))
}
