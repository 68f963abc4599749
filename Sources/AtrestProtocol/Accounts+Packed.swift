// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the Accounts service, except its event log.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension AccountsGetResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__accounts_get_response__unpack) {
      message throws(WireError) in
      return AccountsGetResponse(
        name: try text(message.name, limitBytes: Limit.nameBytes),
        created: WallTime(milliseconds: message.created_ms), devices: message.devices,
        records: message.records, bytes: message.bytes,
        limits: AccountLimits(message.limits?.pointee))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__accounts_get_response__init) { message, arena in
      message.name = arena.text(name)
      message.created_ms = created.milliseconds
      message.devices = devices
      message.records = records
      message.bytes = bytes
      message.limits = arena.limits(limits)
    }
  }
}

extension AccountsDeleteRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__accounts_delete_request__unpack) {
      message throws(WireError) in
      AccountsDeleteRequest(
        accountName: try text(message.account_name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__accounts_delete_request__init) { message, arena in
      message.account_name = arena.text(accountName)
    }
  }
}
