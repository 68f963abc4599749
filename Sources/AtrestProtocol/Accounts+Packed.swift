// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the Accounts service, except its event log.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension GetAccountResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
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
        name: try text(message.name, limitBytes: Limit.nameBytes),
        created: WallTime(milliseconds: message.created_ms), devices: message.devices,
        records: message.records, bytes: message.bytes, limits: limits)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
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

extension DeleteAccountRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__delete_account_request__unpack) {
      message throws(WireError) in
      DeleteAccountRequest(
        accountName: try text(message.account_name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__delete_account_request__init) { message, arena in
      message.account_name = arena.text(accountName)
    }
  }
}
