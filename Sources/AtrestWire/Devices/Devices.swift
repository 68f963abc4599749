// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service for pairing, renewing and renaming.

import AtrestReplication

/// The length limit of device and account names.
public enum NameLimit {
  /// Maximum bytes of UTF-8.
  public static let bytes = Limit.nameBytes
}

/// A request or response without fields.
public struct EmptyMessage: WireMessage, FieldWriting {
  /// Creates the only value.
  public init() {}

  /// Decodes any message and ignores its fields, which come from newer versions.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      while try fields.next() != nil {}
      return EmptyMessage()
    }
  }

  /// The protobuf encoding: no bytes.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {}
}

/// Joins an account.
public struct PairRequest: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var (code, name) = (Slice?.none, Slice?.none)
      var nonce = Slice.none
      while let field = try fields.next() {
        switch Fields.PairRequest(rawValue: field.number) {
        case .code: code = try field.content()
        case .deviceName: name = try field.content()
        case .nonce: nonce = try field.content()
        case nil: break
        }
      }
      try Nonce.check(bytes: nonce.count)
      return PairRequest(
        code: try String(code, limitBytes: Limit.codeBytes),
        deviceName: try String(name, limitBytes: Limit.nameBytes), nonce: [UInt8](nonce))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.PairRequest.code, code)
    sink.text(Fields.PairRequest.deviceName, deviceName)
    sink.bytes(Fields.PairRequest.nonce, nonce)
  }
}

/// An idempotency key: random bytes, stored until the response is.
public enum Nonce {
  /// The length of a non-empty nonce, in bytes.
  public static let bytes = Limit.nonceMinBytes...Limit.nonceMaxBytes

  /// Checks the length of a nonce.
  package static func check(bytes count: Int) throws(WireError) {
    guard count == 0 || bytes.contains(count) else {
      throw .invalid("a nonce has 16 to 64 bytes")
    }
  }
}

/// The device's new identity: the answer of `Pair` and of `Renew`, whose messages have the same
/// fields.
public struct PairResponse: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var replica: UInt64 = 0
      var (token, account, device) = (Slice?.none, Slice?.none, Slice?.none)
      var serverTime: Int64 = 0
      while let field = try fields.next() {
        switch Fields.PairResponse(rawValue: field.number) {
        case .replica: replica = try field.fixed64()
        case .token: token = try field.content()
        case .accountName: account = try field.content()
        case .serverTimeMs: serverTime = try field.int64()
        case .deviceName: device = try field.content()
        case nil: break
        }
      }
      guard replica != 0 else { throw PairResponse.nobody }
      return PairResponse(
        replica: ReplicaID(rawValue: replica),
        token: try String(token, limitBytes: Limit.tokenBytes),
        accountName: try String(account, limitBytes: Limit.nameBytes),
        serverTime: WallTime(milliseconds: serverTime),
        deviceName: try String(device, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.PairResponse.replica, replica.rawValue)
    sink.text(Fields.PairResponse.token, token)
    sink.text(Fields.PairResponse.accountName, accountName)
    sink.number(Fields.PairResponse.serverTimeMs, serverTime.milliseconds)
    sink.text(Fields.PairResponse.deviceName, deviceName)
  }

  /// The error for a response without an identity.
  package static let nobody = WireError.invalid("the server gave no identity")
}

/// Requests a new identity in addition to the caller's.
public struct RenewRequest: WireMessage, FieldWriting {
  /// Makes the request idempotent: random bytes, or none. Secret, because the new token is derived
  /// from it.
  public var nonce: [UInt8]

  /// Creates a request from its fields.
  public init(nonce: [UInt8] = []) {
    self.nonce = nonce
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var nonce = Slice.none
      while let field = try fields.next() {
        switch Fields.RenewRequest(rawValue: field.number) {
        case .nonce: nonce = try field.content()
        case nil: break
        }
      }
      try Nonce.check(bytes: nonce.count)
      return RenewRequest(nonce: [UInt8](nonce))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.bytes(Fields.RenewRequest.nonce, nonce)
  }
}

/// Renames a device.
public struct DevicesRenameRequest: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var (replica, name) = (0 as UInt64, Slice?.none)
      while let field = try fields.next() {
        switch Fields.DevicesRenameRequest(rawValue: field.number) {
        case .replica: replica = try field.fixed64()
        case .name: name = try field.content()
        case nil: break
        }
      }
      return DevicesRenameRequest(
        replica: ReplicaID(rawValue: replica),
        name: try String(name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.DevicesRenameRequest.replica, replica.rawValue)
    sink.text(Fields.DevicesRenameRequest.name, name)
  }
}

/// The result of renaming a device.
public struct DevicesRenameResponse: WireMessage, FieldWriting {
  /// The name it got: the requested one, possibly with a number appended.
  public var name: String

  /// Creates a response from its fields.
  public init(name: String) {
    self.name = name
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var name: Slice?
      while let field = try fields.next() {
        switch Fields.DevicesRenameResponse(rawValue: field.number) {
        case .name: name = try field.content()
        case nil: break
        }
      }
      return DevicesRenameResponse(name: try String(name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.DevicesRenameResponse.name, name)
  }
}
