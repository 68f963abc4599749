// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service that say who is in: pairing, renewing, listing and renaming.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

/// Bytes of the longest name of a device or an account.
public enum NameLimit {
  /// Bytes of UTF-8.
  public static let bytes = 64
}

/// A request or an answer without any field.
public struct EmptyMessage: WireMessage {
  /// The only value.
  public init() {}

  /// Fields of newer versions are ignored.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    _ = try unpacking(bytes, by: atrest__sync__v1__get_account_request__unpack) { _ in true }
  }

  /// No bytes.
  public var encoded: [UInt8] { [] }
}

/// Asks to join an account.
public struct PairRequest: WireMessage {
  /// As in the pairing link.
  public var code: String
  /// What people call the device.
  public var deviceName: String
  /// Names the request, so that it can be repeated: random bytes, or none. A secret: the token is
  /// made of it.
  public var nonce: [UInt8]

  /// A request.
  public init(code: String, deviceName: String, nonce: [UInt8] = []) {
    self.code = code
    self.deviceName = deviceName
    self.nonce = nonce
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__pair_request__unpack) {
      message throws(WireError) in
      PairRequest(
        code: try text(message.code, limitBytes: 64),
        deviceName: try text(message.device_name, limitBytes: NameLimit.bytes),
        nonce: try Nonce.checked(message.nonce))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__pair_request__init) { message, arena in
      message.code = arena.text(code)
      message.device_name = arena.text(deviceName)
      message.nonce = arena.bytes(nonce)
    }
  }
}

/// What names a request that may have to be repeated, so that it is done once. Random bytes, kept
/// until the answer is stored.
public enum Nonce {
  /// Bytes of a nonce that is not empty.
  public static let bytes = 16...64

  static func checked(_ data: ProtobufCBinaryData) throws(WireError) -> [UInt8] {
    let nonce = [UInt8](data)
    guard nonce.isEmpty || bytes.contains(nonce.count) else {
      throw .invalid("a nonce has 16 to 64 bytes")
    }
    return nonce
  }
}

/// Who a device is from now on.
public struct PairResponse: WireMessage {
  /// The identity under which it stamps its writes.
  public var replica: ReplicaID
  /// The secret that stands for it.
  public var token: String
  /// The account's name.
  public var accountName: String
  /// The server's clock.
  public var serverTime: WallTime
  /// What the device is called, which need not be what was asked for; empty from servers that do
  /// not say.
  public var deviceName: String

  /// An answer.
  public init(
    replica: ReplicaID, token: String, accountName: String, serverTime: WallTime,
    deviceName: String = ""
  ) {
    self.replica = replica
    self.token = token
    self.accountName = accountName
    self.serverTime = serverTime
    self.deviceName = deviceName
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__pair_response__unpack) {
      message throws(WireError) in
      guard message.replica != 0 else { throw .invalid("the server gave no identity") }
      return PairResponse(
        replica: ReplicaID(rawValue: message.replica),
        token: try text(message.token, limitBytes: 256),
        accountName: try text(message.account_name, limitBytes: NameLimit.bytes),
        serverTime: WallTime(milliseconds: message.server_time_ms),
        deviceName: try text(message.device_name, limitBytes: NameLimit.bytes))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__pair_response__init) { message, arena in
      message.replica = replica.rawValue
      message.token = arena.text(token)
      message.account_name = arena.text(accountName)
      message.server_time_ms = serverTime.milliseconds
      message.device_name = arena.text(deviceName)
    }
  }
}

/// Asks for a new identity beside the one that the caller has.
public struct RenewRequest: WireMessage {
  /// Names the request, so that it can be repeated: random bytes, or none. A secret: the new token
  /// is made of it.
  public var nonce: [UInt8]

  /// A request.
  public init(nonce: [UInt8] = []) {
    self.nonce = nonce
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__renew_request__unpack) {
      message throws(WireError) in
      RenewRequest(nonce: try Nonce.checked(message.nonce))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__renew_request__init) { message, arena in
      message.nonce = arena.bytes(nonce)
    }
  }
}

/// A device of an account.
public struct Device: Hashable, Sendable {
  /// Its identity.
  public var replica: ReplicaID
  /// What people call it.
  public var name: String
  /// When it joined.
  public var paired: WallTime
  /// When it last called, to the minute; nil if never.
  public var seen: WallTime?
  /// When its access ended; nil if it has not.
  public var revoked: WallTime?
  /// Whether it is the caller itself.
  public var isCurrent: Bool
  /// Which device invited it, let it in, or renewed itself into it.
  public var origin: DeviceOrigin

  /// A device.
  public init(
    replica: ReplicaID, name: String, paired: WallTime, seen: WallTime? = nil,
    revoked: WallTime? = nil, isCurrent: Bool = false, origin: DeviceOrigin = .owner
  ) {
    self.replica = replica
    self.name = name
    self.paired = paired
    self.seen = seen
    self.revoked = revoked
    self.isCurrent = isCurrent
    self.origin = origin
  }

  init(_ message: Atrest__Sync__V1__Device) throws(WireError) {
    self.init(
      replica: ReplicaID(rawValue: message.replica),
      name: try text(message.name, limitBytes: NameLimit.bytes),
      paired: WallTime(milliseconds: message.paired_ms), seen: WallTime(nonZero: message.seen_ms),
      revoked: WallTime(nonZero: message.revoked_ms), isCurrent: message.current != 0,
      origin: DeviceOrigin(
        parent: message.parent, renewed: message.renewed, approver: message.approver))
  }
}

extension WallTime {
  /// On the wire, zero stands for no time.
  init?(nonZero milliseconds: Int64) {
    guard milliseconds != 0 else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

/// The devices of the caller's account.
public struct ListDevicesResponse: WireMessage {
  /// Oldest first.
  public var devices: [Device]

  /// An answer.
  public init(devices: [Device]) {
    self.devices = devices
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__list_devices_response__unpack) {
      message throws(WireError) in
      var devices: [Device] = []
      for device in elements(message.devices, message.n_devices) {
        devices.append(try Device(device))
      }
      return ListDevicesResponse(devices: devices)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(
      atrest__sync__v1__list_devices_response__init, expectedBytes: devices.count * 256 + 512
    ) { message, arena in
      message.n_devices = devices.count
      message.devices = arena.array(devices) { device in
        let entry = arena.make(atrest__sync__v1__device__init)
        entry.pointee.replica = device.replica.rawValue
        entry.pointee.name = arena.text(device.name)
        entry.pointee.paired_ms = device.paired.milliseconds
        entry.pointee.seen_ms = device.seen?.milliseconds ?? 0
        entry.pointee.revoked_ms = device.revoked?.milliseconds ?? 0
        entry.pointee.current = device.isCurrent ? 1 : 0
        entry.pointee.parent = (device.origin.parent ?? .none).rawValue
        entry.pointee.renewed = device.origin.isRenewed ? 1 : 0
        entry.pointee.approver = (device.origin.approver ?? .none).rawValue
        return entry
      }
    }
  }
}

/// Gives a device another name.
public struct RenameDeviceRequest: WireMessage {
  /// Its identity.
  public var replica: ReplicaID
  /// What it is to be called.
  public var name: String

  /// A request.
  public init(replica: ReplicaID, name: String) {
    self.replica = replica
    self.name = name
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__rename_device_request__unpack) {
      message throws(WireError) in
      RenameDeviceRequest(
        replica: ReplicaID(rawValue: message.replica),
        name: try text(message.name, limitBytes: NameLimit.bytes))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__rename_device_request__init) { message, arena in
      message.replica = replica.rawValue
      message.name = arena.text(name)
    }
  }
}

/// What a device is called now.
public struct RenameDeviceResponse: WireMessage {
  /// The name that was asked for, or that with a number.
  public var name: String

  /// An answer.
  public init(name: String) {
    self.name = name
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__rename_device_response__unpack) {
      message throws(WireError) in
      RenameDeviceResponse(name: try text(message.name, limitBytes: NameLimit.bytes))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__rename_device_response__init) { message, arena in
      message.name = arena.text(name)
    }
  }
}
