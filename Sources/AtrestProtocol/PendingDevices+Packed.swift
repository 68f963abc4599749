// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the Devices service for inviting and approving.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension InviteRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_request__unpack) { message in
      InviteRequest(withoutApproval: message.without_approval != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__invite_request__init) { message, _ in
      message.without_approval = withoutApproval ? 1 : 0
    }
  }
}

extension InviteResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_response__unpack) {
      message throws(WireError) in
      InviteResponse(
        code: try text(message.code, limitBytes: Limit.codeBytes),
        expires: WallTime(milliseconds: message.expires_ms),
        needsApproval: message.needs_approval != 0, servesApp: message.serves_app != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__invite_response__init) { message, arena in
      message.code = arena.text(code)
      message.expires_ms = expires.milliseconds
      message.needs_approval = needsApproval ? 1 : 0
      message.serves_app = servesApp ? 1 : 0
    }
  }
}

extension ListPendingDevicesResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__list_pending_devices_response__unpack) {
      message throws(WireError) in
      var pendingDevices: [PendingDevice] = []
      for pendingDevice in elements(message.pending_devices, message.n_pending_devices) {
        guard pendingDevice.handle != 0 else { throw PendingDevice.unidentified }
        let digits = try text(pendingDevice.digits, limitBytes: Limit.digits)
        try PendingDevice.checkDigits(digits)
        pendingDevices.append(
          PendingDevice(
            handle: pendingDevice.handle,
            name: try text(pendingDevice.name, limitBytes: Limit.nameBytes),
            since: WallTime(milliseconds: pendingDevice.since_ms),
            expires: WallTime(milliseconds: pendingDevice.expires_ms),
            inviter: ReplicaID(rawValue: pendingDevice.inviter),
            digits: digits))
      }
      return ListPendingDevicesResponse(pendingDevices: pendingDevices)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__sync__v1__list_pending_devices_response__init,
      expectedBytes: pendingDevices.count * 256 + 512
    ) { message, arena in
      message.n_pending_devices = pendingDevices.count
      message.pending_devices = arena.array(pendingDevices) { pendingDevice in
        let entry = arena.make(atrest__sync__v1__pending_device__init)
        entry.pointee.handle = pendingDevice.handle
        entry.pointee.name = arena.text(pendingDevice.name)
        entry.pointee.since_ms = pendingDevice.since.milliseconds
        entry.pointee.expires_ms = pendingDevice.expires.milliseconds
        entry.pointee.inviter = pendingDevice.inviter.rawValue
        entry.pointee.digits = arena.text(pendingDevice.digits)
        return entry
      }
    }
  }
}

extension ResolvePendingDeviceRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__resolve_pending_device_request__unpack) {
      message in
      ResolvePendingDeviceRequest(handle: message.handle, allow: message.allow != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__resolve_pending_device_request__init) { message, _ in
      message.handle = handle
      message.allow = allow ? 1 : 0
    }
  }
}

extension ResolvePendingDeviceResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__resolve_pending_device_response__unpack) {
      message throws(WireError) in
      guard message.replica != 0 else { return ResolvePendingDeviceResponse() }
      return ResolvePendingDeviceResponse(
        admitted: Admitted(
          replica: ReplicaID(rawValue: message.replica),
          name: try text(message.device_name, limitBytes: Limit.nameBytes)))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__resolve_pending_device_response__init) { message, arena in
      guard let admitted else { return }
      message.replica = admitted.replica.rawValue
      message.device_name = arena.text(admitted.name)
    }
  }
}
