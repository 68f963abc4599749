// SPDX-License-Identifier: Apache-2.0
// The messages of the Accounts service, except its event log.

import AtrestDomain
import AtrestReplication

extension AccountLimits: FieldWriting {
  /// The fields are numbers, so a later occurrence replaces an earlier one.
  init(_ bytes: Slice) throws(WireError) {
    self.init()
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Limits(rawValue: field.number) {
      case .records: records = try field.uint64()
      case .bytes: self.bytes = try field.uint64()
      case .messageBytes: messageBytes = try field.uint32()
      case .recordsPerRequest: recordsPerRequest = try field.uint32()
      case .valueBytes: valueBytes = try field.uint32()
      case .recordBytes: recordBytes = try field.uint32()
      case .watchStreams: watchStreams = try field.uint32()
      case nil: break
      }
    }
  }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.Limits.records, records)
    sink.number(Fields.Limits.bytes, bytes)
    sink.number(Fields.Limits.messageBytes, messageBytes)
    sink.number(Fields.Limits.recordsPerRequest, recordsPerRequest)
    sink.number(Fields.Limits.valueBytes, valueBytes)
    sink.number(Fields.Limits.recordBytes, recordBytes)
    sink.number(Fields.Limits.watchStreams, watchStreams)
  }
}

/// An account's usage and limits.
public typealias AccountsGetResponse = Account

extension Account: WireMessage, FieldWriting {
  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var response = AccountsGetResponse(
        name: "", created: WallTime(milliseconds: 0), devices: 0, records: 0, bytes: 0,
        limits: AccountLimits())
      var name: Slice?
      while let field = try fields.next() {
        switch Fields.AccountsGetResponse(rawValue: field.number) {
        case .name: name = try field.content()
        case .createdMs: response.created = WallTime(milliseconds: try field.int64())
        case .devices: response.devices = try field.uint32()
        case .records: response.records = try field.uint64()
        case .bytes: response.bytes = try field.uint64()
        case .limits: response.limits = try AccountLimits(field.content())
        case nil: break
        }
      }
      response.name = try String(name, limitBytes: Limit.nameBytes)
      return response
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.AccountsGetResponse.name, name)
    sink.number(Fields.AccountsGetResponse.createdMs, created.milliseconds)
    sink.number(Fields.AccountsGetResponse.devices, devices)
    sink.number(Fields.AccountsGetResponse.records, records)
    sink.number(Fields.AccountsGetResponse.bytes, bytes)
    sink.message(Fields.AccountsGetResponse.limits, limits)
  }
}

/// Deletes the caller's account.
public struct AccountsDeleteRequest: WireMessage, FieldWriting {
  /// The account's exact name, as confirmation.
  public var accountName: String

  /// Creates a request from its fields.
  public init(accountName: String) {
    self.accountName = accountName
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var name: Slice?
      while let field = try fields.next() {
        switch Fields.AccountsDeleteRequest(rawValue: field.number) {
        case .accountName: name = try field.content()
        case nil: break
        }
      }
      return AccountsDeleteRequest(accountName: try String(name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.AccountsDeleteRequest.accountName, accountName)
  }
}
