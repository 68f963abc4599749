// SPDX-License-Identifier: Apache-2.0
// The messages of the Entitlements service.

import AtrestDomain
import AtrestReplication
import CAtrestProtos

/// Submits a purchase.
public struct SubmitTransactionRequest: WireMessage {
  /// The App Store's signed transaction in JWS compact form.
  public var signedTransaction: [UInt8]
  /// Whether to move a purchase of another account to this one.
  public var transfer: Bool

  /// Creates a request from its fields.
  public init(signedTransaction: [UInt8], transfer: Bool = false) {
    self.signedTransaction = signedTransaction
    self.transfer = transfer
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__submit_transaction_request__unpack) {
      SubmitTransactionRequest(
        signedTransaction: [UInt8]($0.signed_transaction), transfer: $0.transfer != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__sync__v1__submit_transaction_request__init,
      expectedBytes: signedTransaction.count + 512
    ) { message, arena in
      message.signed_transaction = arena.bytes(signedTransaction)
      message.transfer = transfer ? 1 : 0
    }
  }
}

/// The result of submitting a purchase.
public struct SubmitTransactionResponse: WireMessage {
  /// Why a transaction was rejected.
  public struct Rejection: Hashable, Sendable {
    /// A stable code in upper case.
    public var code: String
    /// The number of the failed check.
    public var check: UInt32
    /// A message for the user.
    public var message: String
    /// Whether the same transaction may pass later.
    public var retryable: Bool

    /// Creates a rejection from its fields.
    public init(code: String, check: UInt32, message: String, retryable: Bool) {
      self.code = code
      self.check = check
      self.message = message
      self.retryable = retryable
    }
  }

  /// Nil if this transaction, or a later one of the same purchase, is stored.
  public var rejection: Rejection?

  /// Creates a response from its fields.
  public init(rejection: Rejection? = nil) {
    self.rejection = rejection
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__submit_transaction_response__unpack) {
      message throws(WireError) in
      guard let rejection = message.rejection?.pointee else { return SubmitTransactionResponse() }
      return SubmitTransactionResponse(
        rejection: Rejection(
          code: try text(rejection.code, limitBytes: 64), check: rejection.check,
          message: try text(rejection.message, limitBytes: 1024),
          retryable: rejection.retryable != 0))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__submit_transaction_response__init) { message, arena in
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

/// What an app needs before it offers a purchase.
public struct GetEntitlementsResponse: WireMessage {
  /// Length of the account's token in bytes: a UUID.
  public static let tokenBytes = 16

  /// The `appAccountToken` for the account's purchases.
  public var appAccountToken: [UInt8]
  /// Whether the server verifies purchases.
  public var verifies: Bool
  /// The number of transactions stored for the account.
  public var held: UInt32
  /// The server's clock.
  public var serverTime: WallTime

  /// Creates a response from its fields.
  public init(appAccountToken: [UInt8], verifies: Bool, held: UInt32, serverTime: WallTime) {
    self.appAccountToken = appAccountToken
    self.verifies = verifies
    self.held = held
    self.serverTime = serverTime
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__get_entitlements_response__unpack) {
      message throws(WireError) in
      let token = [UInt8](message.app_account_token)
      guard token.count == Self.tokenBytes else { throw .invalid("a token is not a UUID") }
      return GetEntitlementsResponse(
        appAccountToken: token, verifies: message.verifies != 0, held: message.held,
        serverTime: WallTime(milliseconds: message.server_time_ms))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__get_entitlements_response__init) { message, arena in
      message.app_account_token = arena.bytes(appAccountToken)
      message.verifies = verifies ? 1 : 0
      message.held = held
      message.server_time_ms = serverTime.milliseconds
    }
  }
}
