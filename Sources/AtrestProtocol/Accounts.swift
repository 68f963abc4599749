// SPDX-License-Identifier: Apache-2.0
// The messages of the Accounts service, except its event log.

import AtrestReplication
import CAtrestProtos

/// The server's limits for one account; zero where the server does not say.
public struct AccountLimits: Hashable, Sendable {
  /// Maximum records per account.
  public var records: UInt64
  /// Maximum bytes of one account's records.
  public var bytes: UInt64
  /// Maximum bytes per message.
  public var messageBytes: UInt32
  /// Maximum offers per request and records per response.
  public var recordsPerRequest: UInt32
  /// Maximum bytes of one register's value.
  public var valueBytes: UInt32
  /// Maximum bytes of one encoded record.
  public var recordBytes: UInt32
  /// Maximum concurrent Watch streams per device.
  public var watchStreams: UInt32

  /// Creates limits. Zero means unknown.
  public init(
    records: UInt64 = 0, bytes: UInt64 = 0, messageBytes: UInt32 = 0,
    recordsPerRequest: UInt32 = 0, valueBytes: UInt32 = 0, recordBytes: UInt32 = 0,
    watchStreams: UInt32 = 0
  ) {
    self.records = records
    self.bytes = bytes
    self.messageBytes = messageBytes
    self.recordsPerRequest = recordsPerRequest
    self.valueBytes = valueBytes
    self.recordBytes = recordBytes
    self.watchStreams = watchStreams
  }
}

/// An account's usage and limits.
public struct GetAccountResponse: WireMessage {
  /// The account's name.
  public var name: String
  /// When it was created.
  public var created: WallTime
  /// The number of devices with access.
  public var devices: UInt32
  /// The number of records, including deleted ones and the journal.
  public var records: UInt64
  /// The encoded size of those records, in bytes.
  public var bytes: UInt64
  /// The server's limits.
  public var limits: AccountLimits

  /// Creates a response from its fields.
  public init(
    name: String, created: WallTime, devices: UInt32, records: UInt64, bytes: UInt64,
    limits: AccountLimits
  ) {
    self.name = name
    self.created = created
    self.devices = devices
    self.records = records
    self.bytes = bytes
    self.limits = limits
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__get_account_response__unpack) {
      message throws(WireError) in
      var limits = AccountLimits()
      if let told = message.limits?.pointee {
        limits = AccountLimits(
          records: told.records, bytes: told.bytes, messageBytes: told.message_bytes,
          recordsPerRequest: told.records_per_request, valueBytes: told.value_bytes,
          recordBytes: told.record_bytes, watchStreams: told.watch_streams)
      }
      return GetAccountResponse(
        name: try text(message.name, limitBytes: NameLimit.bytes),
        created: WallTime(milliseconds: message.created_ms), devices: message.devices,
        records: message.records, bytes: message.bytes, limits: limits)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__get_account_response__init) { message, arena in
      message.name = arena.text(name)
      message.created_ms = created.milliseconds
      message.devices = devices
      message.records = records
      message.bytes = bytes
      let told = arena.make(atrest__sync__v1__limits__init)
      told.pointee.records = limits.records
      told.pointee.bytes = limits.bytes
      told.pointee.message_bytes = limits.messageBytes
      told.pointee.records_per_request = limits.recordsPerRequest
      told.pointee.value_bytes = limits.valueBytes
      told.pointee.record_bytes = limits.recordBytes
      told.pointee.watch_streams = limits.watchStreams
      message.limits = told
    }
  }
}

/// Deletes the caller's account.
public struct DeleteAccountRequest: WireMessage {
  /// The account's exact name, as confirmation.
  public var accountName: String

  /// Creates a request from its fields.
  public init(accountName: String) {
    self.accountName = accountName
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__delete_account_request__unpack) {
      message throws(WireError) in
      DeleteAccountRequest(
        accountName: try text(message.account_name, limitBytes: NameLimit.bytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__delete_account_request__init) { message, arena in
      message.account_name = arena.text(accountName)
    }
  }
}
