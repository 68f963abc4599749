// SPDX-License-Identifier: Apache-2.0
// Packs the messages that revoke devices.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension RevokeDeviceRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_request__unpack) { message in
      RevokeDeviceRequest(
        replica: ReplicaID(rawValue: message.replica),
        withDescendants: message.with_descendants != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__revoke_device_request__init) { message, _ in
      message.replica = replica.rawValue
      message.with_descendants = withDescendants ? 1 : 0
    }
  }
}

extension RevokeDeviceResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__revoke_device_response__unpack) { message in
      RevokeDeviceResponse(
        revoked: replicas(message.revoked, message.n_revoked),
        remaining: replicas(message.remaining, message.n_remaining),
        spared: replicas(message.spared, message.n_spared))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
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
