// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service by which a device invites another one and lets it in.

import AtrestReplication
import CAtrestProtos

/// Asks for a pairing code.
public struct InviteRequest: WireMessage {
  /// Whether whoever has the code joins at once, and no device is asked.
  public var withoutApproval: Bool

  /// A request.
  public init(withoutApproval: Bool = false) {
    self.withoutApproval = withoutApproval
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_request__unpack) { message in
      InviteRequest(withoutApproval: message.without_approval != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__invite_request__init) { message, _ in
      message.without_approval = withoutApproval ? 1 : 0
    }
  }
}

/// A fresh pairing code.
public struct InviteResponse: WireMessage {
  /// Secret until used.
  public var code: String
  /// When it stops working.
  public var expires: WallTime
  /// Whether whoever uses it waits for a device's approval; false from servers that do not know of
  /// it.
  public var needsApproval: Bool

  /// An answer.
  public init(code: String, expires: WallTime, needsApproval: Bool = false) {
    self.code = code
    self.expires = expires
    self.needsApproval = needsApproval
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_response__unpack) {
      message throws(WireError) in
      InviteResponse(
        code: try text(message.code, limitBytes: 64),
        expires: WallTime(milliseconds: message.expires_ms),
        needsApproval: message.needs_approval != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__invite_response__init) { message, arena in
      message.code = arena.text(code)
      message.expires_ms = expires.milliseconds
      message.needs_approval = needsApproval ? 1 : 0
    }
  }
}

/// A device that has the right code and waits to be let in.
public struct PendingDevice: Hashable, Sendable {
  /// Names it for `ResolvePendingDeviceRequest`. Never zero.
  public var handle: UInt64
  /// What it wants to be called; it said so itself.
  public var name: String
  /// When it came.
  public var since: WallTime
  /// Until when it can be let in.
  public var expires: WallTime
  /// The device that made its code.
  public var inviter: ReplicaID
  /// See `PairRequest.digits`.
  public var digits: String

  /// A pending device.
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

/// Who waits to be let in.
public struct ListPendingDevicesResponse: WireMessage {
  /// In the order they came.
  public var pendingDevices: [PendingDevice]

  /// An answer.
  public init(pendingDevices: [PendingDevice]) {
    self.pendingDevices = pendingDevices
  }

  /// Decodes an answer.
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

  /// The bytes on the wire.
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

/// Lets a pending device in, or sends it away.
public struct ResolvePendingDeviceRequest: WireMessage {
  /// As in `PendingDevice`.
  public var handle: UInt64
  /// Whether it is let in.
  public var allow: Bool

  /// A request.
  public init(handle: UInt64, allow: Bool) {
    self.handle = handle
    self.allow = allow
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__resolve_pending_device_request__unpack) {
      message in
      ResolvePendingDeviceRequest(handle: message.handle, allow: message.allow != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__resolve_pending_device_request__init) { message, _ in
      message.handle = handle
      message.allow = allow ? 1 : 0
    }
  }
}

/// What became of a pending device.
public struct ResolvePendingDeviceResponse: WireMessage {
  /// A device that was let in.
  public struct Admitted: Hashable, Sendable {
    /// Its identity.
    public var replica: ReplicaID
    /// What it is called, which need not be what it asked for.
    public var name: String

    /// A device.
    public init(replica: ReplicaID, name: String) {
      self.replica = replica
      self.name = name
    }
  }

  /// Nil if it was sent away.
  public var admitted: Admitted?

  /// An answer.
  public init(admitted: Admitted? = nil) {
    self.admitted = admitted
  }

  /// Decodes an answer.
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

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__resolve_pending_device_response__init) { message, arena in
      guard let admitted else { return }
      message.replica = admitted.replica.rawValue
      message.device_name = arena.text(admitted.name)
    }
  }
}
