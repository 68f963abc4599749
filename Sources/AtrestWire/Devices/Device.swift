// SPDX-License-Identifier: Apache-2.0
// The encoding of a device, and the list of all of an account.

import AtrestDomain
import AtrestReplication

extension Device: FieldWriting {
  init(_ bytes: Slice) throws(WireError) {
    var (replica, parent, approver) = (0 as UInt64, 0 as UInt64, 0 as UInt64)
    var (paired, seen, revoked) = (0 as Int64, 0 as Int64, 0 as Int64)
    var (isCurrent, isRenewed) = (false, false)
    var name: Slice?
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Device(rawValue: field.number) {
      case .replica: replica = try field.fixed64()
      case .name: name = try field.content()
      case .pairedMs: paired = try field.int64()
      case .seenMs: seen = try field.int64()
      case .revokedMs: revoked = try field.int64()
      case .current: isCurrent = field.bool
      case .parent: parent = try field.fixed64()
      case .renewed: isRenewed = field.bool
      case .approver: approver = try field.fixed64()
      case nil: break
      }
    }
    self.init(
      replica: ReplicaID(rawValue: replica), name: try String(name, limitBytes: Limit.nameBytes),
      paired: WallTime(milliseconds: paired), seen: WallTime(nonZero: seen),
      revoked: WallTime(nonZero: revoked), isCurrent: isCurrent,
      origin: DeviceOrigin(
        parent: ReplicaID(nonZero: parent), approver: ReplicaID(nonZero: approver),
        isRenewed: isRenewed))
  }

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.Device.replica, replica.rawValue)
    sink.text(Fields.Device.name, name)
    sink.number(Fields.Device.pairedMs, paired.milliseconds)
    sink.number(Fields.Device.seenMs, seen?.milliseconds ?? 0)
    sink.number(Fields.Device.revokedMs, revoked?.milliseconds ?? 0)
    sink.flag(Fields.Device.current, isCurrent)
    sink.fixed64(Fields.Device.parent, (origin.parent ?? .none).rawValue)
    sink.flag(Fields.Device.renewed, origin.isRenewed)
    sink.fixed64(Fields.Device.approver, (origin.approver ?? .none).rawValue)
  }
}

extension WallTime {
  /// Creates a time from its wire value, where zero means none.
  package init?(nonZero milliseconds: Int64) {
    guard milliseconds != 0 else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension ReplicaID {
  /// Creates an identifier from its wire value, where zero means none.
  package init?(nonZero number: UInt64) {
    guard number != 0 else { return nil }
    self.init(rawValue: number)
  }
}

/// The devices of the caller's account.
public struct DevicesListResponse: WireMessage, FieldWriting {
  /// Oldest first, including revoked ones.
  public var devices: [Device]

  /// Creates a response from its fields.
  public init(devices: [Device]) {
    self.devices = devices
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var devices: [Device] = []
      while let field = try fields.next() {
        switch Fields.DevicesListResponse(rawValue: field.number) {
        case .devices: devices.append(try Device(field.content()))
        case nil: break
        }
      }
      return DevicesListResponse(devices: devices)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.DevicesListResponse.devices, devices)
  }
}
