// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the Entitlements service.

import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension EntitlementsSubmitRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__entitlements_submit_request__unpack) {
      EntitlementsSubmitRequest(
        signedTransaction: [UInt8]($0.signed_transaction), transfer: $0.transfer != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__sync__v1__entitlements_submit_request__init,
      expectedBytes: signedTransaction.count + 512
    ) { message, arena in
      message.signed_transaction = arena.bytes(signedTransaction)
      message.transfer = transfer ? 1 : 0
    }
  }
}

extension EntitlementsSubmitResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__entitlements_submit_response__unpack) {
      message throws(WireError) in
      guard let rejection = message.rejection?.pointee else { return EntitlementsSubmitResponse() }
      return EntitlementsSubmitResponse(
        rejection: Rejection(
          code: try text(rejection.code, limitBytes: Limit.rejectionCodeBytes),
          check: rejection.check,
          message: try text(rejection.message, limitBytes: Limit.sentenceBytes),
          retryable: rejection.retryable != 0))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__entitlements_submit_response__init) { message, arena in
      guard let rejection else { return }
      let inner = arena.make(atrest__sync__v1__rejection__init)
      inner.pointee.code = arena.text(rejection.code)
      inner.pointee.check = rejection.check
      inner.pointee.message = arena.text(rejection.message)
      inner.pointee.retryable = rejection.retryable ? 1 : 0
      message.rejection = inner
    }
  }
}

extension EntitlementsGetResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__entitlements_get_response__unpack) {
      message throws(WireError) in
      let response = EntitlementsGetResponse(
        appAccountToken: [UInt8](message.app_account_token), verifies: message.verifies != 0,
        held: message.held,
        serverTime: WallTime(milliseconds: message.server_time_ms))
      try response.checkToken()
      return response
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__entitlements_get_response__init) { message, arena in
      message.app_account_token = arena.bytes(appAccountToken)
      message.verifies = verifies ? 1 : 0
      message.held = held
      message.server_time_ms = serverTime.milliseconds
    }
  }
}
