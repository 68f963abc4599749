// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service for inviting and approving devices.

import AtrestDomain
import AtrestReplication

/// Requests a pairing code.
public struct InviteRequest: WireMessage, FieldWriting {
  /// Whether a device with the code joins at once, without approval.
  public var withoutApproval: Bool

  /// Creates a request from its fields.
  public init(withoutApproval: Bool = false) {
    self.withoutApproval = withoutApproval
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var request = InviteRequest()
      while let field = try fields.next() {
        switch Fields.InviteRequest(rawValue: field.number) {
        case .withoutApproval: request.withoutApproval = field.bool
        case nil: break
        }
      }
      return request
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.flag(Fields.InviteRequest.withoutApproval, withoutApproval)
  }
}

/// A new pairing code.
public struct InviteResponse: WireMessage, FieldWriting {
  /// The code, 13 characters. Secret until used.
  public var code: String
  /// When it expires.
  public var expires: WallTime
  /// Whether a device that uses it must be approved; false from servers without approval.
  public var needsApproval: Bool
  /// Whether a browser finds the web app at the server's address.
  public var servesApp: Bool

  /// Creates a response from its fields.
  public init(
    code: String, expires: WallTime, needsApproval: Bool = false, servesApp: Bool = false
  ) {
    self.code = code
    self.expires = expires
    self.needsApproval = needsApproval
    self.servesApp = servesApp
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var (code, expires, needsApproval, servesApp) = (Slice?.none, 0 as Int64, false, false)
      while let field = try fields.next() {
        switch Fields.InviteResponse(rawValue: field.number) {
        case .code: code = try field.content()
        case .expiresMs: expires = try field.int64()
        case .needsApproval: needsApproval = field.bool
        case .servesApp: servesApp = field.bool
        case nil: break
        }
      }
      return InviteResponse(
        code: try String(code, limitBytes: Limit.codeBytes),
        expires: WallTime(milliseconds: expires), needsApproval: needsApproval,
        servesApp: servesApp)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.InviteResponse.code, code)
    sink.number(Fields.InviteResponse.expiresMs, expires.milliseconds)
    sink.flag(Fields.InviteResponse.needsApproval, needsApproval)
    sink.flag(Fields.InviteResponse.servesApp, servesApp)
  }
}

extension PendingDevice: FieldWriting {
  init(_ bytes: Slice) throws(WireError) {
    var (handle, inviter) = (0 as UInt64, 0 as UInt64)
    var (since, expires) = (0 as Int64, 0 as Int64)
    var (name, digits) = (Slice?.none, Slice?.none)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.PendingDevice(rawValue: field.number) {
      case .handle: handle = try field.fixed64()
      case .name: name = try field.content()
      case .sinceMs: since = try field.int64()
      case .expiresMs: expires = try field.int64()
      case .inviter: inviter = try field.fixed64()
      case .digits: digits = try field.content()
      case nil: break
      }
    }
    guard handle != 0 else { throw PendingDevice.unidentified }
    self.init(
      handle: handle, name: try String(name, limitBytes: Limit.nameBytes),
      since: WallTime(milliseconds: since), expires: WallTime(milliseconds: expires),
      inviter: ReplicaID(rawValue: inviter), digits: try String(digits, limitBytes: Limit.digits))
    try PendingDevice.checkDigits(self.digits)
  }

  /// The error for a pending device without a handle.
  package static let unidentified = WireError.invalid("a pending device has no handle")

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.PendingDevice.handle, handle)
    sink.text(Fields.PendingDevice.name, name)
    sink.number(Fields.PendingDevice.sinceMs, since.milliseconds)
    sink.number(Fields.PendingDevice.expiresMs, expires.milliseconds)
    sink.fixed64(Fields.PendingDevice.inviter, inviter.rawValue)
    sink.text(Fields.PendingDevice.digits, digits)
  }
}

/// The devices that wait for approval.
public struct ListPendingDevicesResponse: WireMessage, FieldWriting {
  /// In order of arrival.
  public var pendingDevices: [PendingDevice]

  /// Creates a response from its fields.
  public init(pendingDevices: [PendingDevice]) {
    self.pendingDevices = pendingDevices
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var pendingDevices: [PendingDevice] = []
      while let field = try fields.next() {
        switch Fields.ListPendingDevicesResponse(rawValue: field.number) {
        case .pendingDevices: pendingDevices.append(try PendingDevice(field.content()))
        case nil: break
        }
      }
      return ListPendingDevicesResponse(pendingDevices: pendingDevices)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.ListPendingDevicesResponse.pendingDevices, pendingDevices)
  }
}

/// Approves or denies a pending device.
public struct ResolvePendingDeviceRequest: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var request = ResolvePendingDeviceRequest(handle: 0, allow: false)
      while let field = try fields.next() {
        switch Fields.ResolvePendingDeviceRequest(rawValue: field.number) {
        case .handle: request.handle = try field.fixed64()
        case .allow: request.allow = field.bool
        case nil: break
        }
      }
      return request
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.ResolvePendingDeviceRequest.handle, handle)
    sink.flag(Fields.ResolvePendingDeviceRequest.allow, allow)
  }
}

/// The result of resolving a pending device.
public struct ResolvePendingDeviceResponse: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var (replica, name) = (0 as UInt64, Slice?.none)
      while let field = try fields.next() {
        switch Fields.ResolvePendingDeviceResponse(rawValue: field.number) {
        case .deviceName: name = try field.content()
        case .replica: replica = try field.fixed64()
        case nil: break
        }
      }
      guard replica != 0 else { return ResolvePendingDeviceResponse() }
      return ResolvePendingDeviceResponse(
        admitted: Admitted(
          replica: ReplicaID(rawValue: replica),
          name: try String(name, limitBytes: Limit.nameBytes)))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    guard let admitted else { return }
    sink.text(Fields.ResolvePendingDeviceResponse.deviceName, admitted.name)
    sink.fixed64(Fields.ResolvePendingDeviceResponse.replica, admitted.replica.rawValue)
  }
}
