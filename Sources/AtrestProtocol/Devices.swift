// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service for pairing, renewing, listing and renaming.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

/// The length limit of device and account names.
public enum NameLimit {
  /// Maximum bytes of UTF-8.
  public static let bytes = 64
}

/// A request or response without fields.
public struct EmptyMessage: WireMessage {
  /// Creates the only value.
  public init() {}

  /// Decodes any message and ignores its fields, which come from newer versions.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    _ = try unpacking(bytes, by: atrest__sync__v1__get_account_request__unpack) { _ in true }
  }

  /// The protobuf encoding: no bytes.
  public var encoded: [UInt8] { [] }
}

/// Joins an account.
public struct PairRequest: WireMessage {
  /// The pairing code, as in the link.
  public var code: String
  /// The device's name, as its user chose it.
  public var deviceName: String
  /// Makes the request idempotent: random bytes, or none. Secret, because the token is derived from
  /// it.
  public var nonce: [UInt8]

  /// Creates a request from its fields.
  public init(code: String, deviceName: String, nonce: [UInt8] = []) {
    self.code = code
    self.deviceName = deviceName
    self.nonce = nonce
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__pair_request__unpack) {
      message throws(WireError) in
      PairRequest(
        code: try text(message.code, limitBytes: 64),
        deviceName: try text(message.device_name, limitBytes: NameLimit.bytes),
        nonce: try Nonce.checked(message.nonce))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__pair_request__init) { message, arena in
      message.code = arena.text(code)
      message.device_name = arena.text(deviceName)
      message.nonce = arena.bytes(nonce)
    }
  }
}

/// An idempotency key: random bytes, stored until the response is.
public enum Nonce {
  /// The length of a non-empty nonce, in bytes.
  public static let bytes = 16...64

  static func checked(_ data: ProtobufCBinaryData) throws(WireError) -> [UInt8] {
    let nonce = [UInt8](data)
    guard nonce.isEmpty || bytes.contains(nonce.count) else {
      throw .invalid("a nonce has 16 to 64 bytes")
    }
    return nonce
  }
}

/// The device's new identity.
public struct PairResponse: WireMessage {
  /// The replica ID that stamps its writes.
  public var replica: ReplicaID
  /// The device's bearer token. Secret.
  public var token: String
  /// The account's name.
  public var accountName: String
  /// The server's clock.
  public var serverTime: WallTime
  /// The device's name, which may differ from the requested one. Empty from servers that do not
  /// report it.
  public var deviceName: String

  /// Creates a response from its fields.
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

  /// Decodes a protobuf-encoded response.
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

  /// The protobuf encoding.
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

/// Requests a new identity in addition to the caller's.
public struct RenewRequest: WireMessage {
  /// Makes the request idempotent: random bytes, or none. Secret, because the new token is derived
  /// from it.
  public var nonce: [UInt8]

  /// Creates a request from its fields.
  public init(nonce: [UInt8] = []) {
    self.nonce = nonce
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__renew_request__unpack) {
      message throws(WireError) in
      RenewRequest(nonce: try Nonce.checked(message.nonce))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__renew_request__init) { message, arena in
      message.nonce = arena.bytes(nonce)
    }
  }
}

/// A device of an account.
public struct Device: Hashable, Sendable {
  /// Its replica ID.
  public var replica: ReplicaID
  /// Its name.
  public var name: String
  /// When it joined.
  public var paired: WallTime
  /// When it last made a call, to the minute; nil if never.
  public var seen: WallTime?
  /// When its access was revoked; nil if it was not.
  public var revoked: WallTime?
  /// Whether it is the caller's device.
  public var isCurrent: Bool
  /// How it joined the account.
  public var origin: DeviceOrigin

  /// Creates a device from its fields.
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
  /// Creates a time from its wire value, where zero means none.
  init?(nonZero milliseconds: Int64) {
    guard milliseconds != 0 else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

/// The devices of the caller's account.
public struct ListDevicesResponse: WireMessage {
  /// Oldest first, including revoked ones.
  public var devices: [Device]

  /// Creates a response from its fields.
  public init(devices: [Device]) {
    self.devices = devices
  }

  /// Decodes a protobuf-encoded response.
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

  /// The protobuf encoding.
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

/// Renames a device.
public struct RenameDeviceRequest: WireMessage {
  /// Its replica ID.
  public var replica: ReplicaID
  /// The new name.
  public var name: String

  /// Creates a request from its fields.
  public init(replica: ReplicaID, name: String) {
    self.replica = replica
    self.name = name
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__rename_device_request__unpack) {
      message throws(WireError) in
      RenameDeviceRequest(
        replica: ReplicaID(rawValue: message.replica),
        name: try text(message.name, limitBytes: NameLimit.bytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__rename_device_request__init) { message, arena in
      message.replica = replica.rawValue
      message.name = arena.text(name)
    }
  }
}

/// The result of renaming a device.
public struct RenameDeviceResponse: WireMessage {
  /// The name it got: the requested one, possibly with a number appended.
  public var name: String

  /// Creates a response from its fields.
  public init(name: String) {
    self.name = name
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__rename_device_response__unpack) {
      message throws(WireError) in
      RenameDeviceResponse(name: try text(message.name, limitBytes: NameLimit.bytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__rename_device_response__init) { message, arena in
      message.name = arena.text(name)
    }
  }
}
