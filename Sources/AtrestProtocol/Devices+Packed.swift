// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the Devices service for pairing, renewing and renaming.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension EmptyMessage: PackedMessage {
  /// Unpacks any message and ignores its fields, which come from newer versions.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__accounts_get_request__unpack) { _ in
      EmptyMessage()
    }
  }

  /// The protobuf encoding: no bytes.
  public var packed: [UInt8] { [] }
}

extension PairRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__pair_request__unpack) {
      message throws(WireError) in
      PairRequest(
        code: try text(message.code, limitBytes: Limit.codeBytes),
        deviceName: try text(message.device_name, limitBytes: Limit.nameBytes),
        nonce: try Nonce.checked(message.nonce))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__pair_request__init) { message, arena in
      message.code = arena.text(code)
      message.device_name = arena.text(deviceName)
      message.nonce = arena.bytes(nonce)
    }
  }
}

extension Nonce {
  fileprivate static func checked(_ data: ProtobufCBinaryData) throws(WireError) -> [UInt8] {
    try check(bytes: data.len)
    return [UInt8](data)
  }
}

extension PairResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__pair_response__unpack) {
      message throws(WireError) in
      guard message.replica != 0 else { throw PairResponse.nobody }
      return PairResponse(
        replica: ReplicaID(rawValue: message.replica),
        token: try text(message.token, limitBytes: Limit.tokenBytes),
        accountName: try text(message.account_name, limitBytes: Limit.nameBytes),
        serverTime: WallTime(milliseconds: message.server_time_ms),
        deviceName: try text(message.device_name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__pair_response__init) { message, arena in
      message.replica = replica.rawValue
      message.token = arena.text(token)
      message.account_name = arena.text(accountName)
      message.server_time_ms = serverTime.milliseconds
      message.device_name = arena.text(deviceName)
    }
  }
}

extension RenewRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__renew_request__unpack) {
      message throws(WireError) in
      RenewRequest(nonce: try Nonce.checked(message.nonce))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__renew_request__init) { message, arena in
      message.nonce = arena.bytes(nonce)
    }
  }
}

extension DevicesListResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__devices_list_response__unpack) {
      message throws(WireError) in
      var devices: [Device] = []
      for device in elements(message.devices, message.n_devices) {
        devices.append(try Device(device))
      }
      return DevicesListResponse(devices: devices)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__sync__v1__devices_list_response__init, expectedBytes: devices.count * 256 + 512
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

extension DevicesRenameRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__devices_rename_request__unpack) {
      message throws(WireError) in
      DevicesRenameRequest(
        replica: ReplicaID(rawValue: message.replica),
        name: try text(message.name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__devices_rename_request__init) { message, arena in
      message.replica = replica.rawValue
      message.name = arena.text(name)
    }
  }
}

extension DevicesRenameResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__devices_rename_response__unpack) {
      message throws(WireError) in
      DevicesRenameResponse(name: try text(message.name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__devices_rename_response__init) { message, arena in
      message.name = arena.text(name)
    }
  }
}

extension Device {
  init(_ message: Atrest__Sync__V1__Device) throws(WireError) {
    self.init(
      replica: ReplicaID(rawValue: message.replica),
      name: try text(message.name, limitBytes: Limit.nameBytes),
      paired: WallTime(milliseconds: message.paired_ms), seen: WallTime(nonZero: message.seen_ms),
      revoked: WallTime(nonZero: message.revoked_ms), isCurrent: message.current != 0,
      origin: DeviceOrigin(
        parent: message.parent, renewed: message.renewed, approver: message.approver))
  }
}

extension DeviceOrigin {
  /// Creates an origin from wire values, where zero means no device.
  init(parent: UInt64, renewed: Int32, approver: UInt64) {
    self.init(
      parent: ReplicaID(nonZero: parent), approver: ReplicaID(nonZero: approver),
      isRenewed: renewed != 0)
  }
}
