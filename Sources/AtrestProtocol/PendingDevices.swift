// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service for inviting and approving devices.

import AtrestReplication
import CAtrestProtos

/// Requests a pairing code.
public struct InviteRequest: WireMessage {
  /// Whether a device with the code joins at once, without approval.
  public var withoutApproval: Bool

  /// Creates a request from its fields.
  public init(withoutApproval: Bool = false) {
    self.withoutApproval = withoutApproval
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_request__unpack) { message in
      InviteRequest(withoutApproval: message.without_approval != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__invite_request__init) { message, _ in
      message.without_approval = withoutApproval ? 1 : 0
    }
  }
}

/// A new pairing code.
public struct InviteResponse: WireMessage {
  /// The code, 13 characters. Secret until used.
  public var code: String
  /// When it expires.
  public var expires: WallTime
  /// Whether a device that uses it must be approved; false from servers without approval.
  public var needsApproval: Bool

  /// Creates a response from its fields.
  public init(code: String, expires: WallTime, needsApproval: Bool = false) {
    self.code = code
    self.expires = expires
    self.needsApproval = needsApproval
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_response__unpack) {
      message throws(WireError) in
      InviteResponse(
        code: try text(message.code, limitBytes: 64),
        expires: WallTime(milliseconds: message.expires_ms),
        needsApproval: message.needs_approval != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__invite_response__init) { message, arena in
      message.code = arena.text(code)
      message.expires_ms = expires.milliseconds
      message.needs_approval = needsApproval ? 1 : 0
    }
  }
}

/// A device that has used a valid code and waits for approval.
public struct PendingDevice: Hashable, Sendable {
  /// Identifies it in `ResolvePendingDeviceRequest`. Never zero.
  public var handle: UInt64
  /// The name it claims.
  public var name: String
  /// When it used the code.
  public var since: WallTime
  /// Until when it can be approved.
  public var expires: WallTime
  /// The device that created its code.
  public var inviter: ReplicaID
  /// The digits to compare; see `PairRequest.digits`.
  public var digits: String

  /// Creates a pending device from its fields.
  public init(
    handle: UInt64, name: String, since: WallTime, expires: WallTime, inviter: ReplicaID,
    digits: String
  ) {
    self.handle = handle
    self.name = name
    self.since = since
    self.expires = expires
    self.inviter = inviter
    self.digits = digits
  }
}

/// The devices that wait for approval.
public struct ListPendingDevicesResponse: WireMessage {
  /// In order of arrival.
  public var pendingDevices: [PendingDevice]

  /// Creates a response from its fields.
  public init(pendingDevices: [PendingDevice]) {
    self.pendingDevices = pendingDevices
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__list_pending_devices_response__unpack) {
      message throws(WireError) in
      var pendingDevices: [PendingDevice] = []
      for pendingDevice in elements(message.pending_devices, message.n_pending_devices) {
        guard pendingDevice.handle != 0 else { throw .invalid("a pending device has no handle") }
        pendingDevices.append(
          PendingDevice(
            handle: pendingDevice.handle,
            name: try text(pendingDevice.name, limitBytes: NameLimit.bytes),
            since: WallTime(milliseconds: pendingDevice.since_ms),
            expires: WallTime(milliseconds: pendingDevice.expires_ms),
            inviter: ReplicaID(rawValue: pendingDevice.inviter),
            digits: try PairingDigits.checked(
              text(pendingDevice.digits, limitBytes: PairingDigits.count))))
      }
      return ListPendingDevicesResponse(pendingDevices: pendingDevices)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
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

/// Approves or denies a pending device.
public struct ResolvePendingDeviceRequest: WireMessage {
  /// The `PendingDevice.handle`.
  public var handle: UInt64
  /// Whether to approve it.
  public var allow: Bool

  /// Creates a request from its fields.
  public init(handle: UInt64, allow: Bool) {
    self.handle = handle
    self.allow = allow
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__resolve_pending_device_request__unpack) {
      message in
      ResolvePendingDeviceRequest(handle: message.handle, allow: message.allow != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__resolve_pending_device_request__init) { message, _ in
      message.handle = handle
      message.allow = allow ? 1 : 0
    }
  }
}

/// The result of resolving a pending device.
public struct ResolvePendingDeviceResponse: WireMessage {
  /// An approved device.
  public struct Admitted: Hashable, Sendable {
    /// Its replica ID.
    public var replica: ReplicaID
    /// Its name, which may differ from the claimed one.
    public var name: String

    /// Creates an approved device from its fields.
    public init(replica: ReplicaID, name: String) {
      self.replica = replica
      self.name = name
    }
  }

  /// Nil if it was denied.
  public var admitted: Admitted?

  /// Creates a response from its fields.
  public init(admitted: Admitted? = nil) {
    self.admitted = admitted
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__resolve_pending_device_response__unpack) {
      message throws(WireError) in
      guard message.replica != 0 else { return ResolvePendingDeviceResponse() }
      return ResolvePendingDeviceResponse(
        admitted: Admitted(
          replica: ReplicaID(rawValue: message.replica),
          name: try text(message.device_name, limitBytes: NameLimit.bytes)))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__resolve_pending_device_response__init) { message, arena in
      guard let admitted else { return }
      message.replica = admitted.replica.rawValue
      message.device_name = arena.text(admitted.name)
    }
  }
}
