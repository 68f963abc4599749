// SPDX-License-Identifier: Apache-2.0
// The messages of the Entitlements service.

import AtrestReplication

/// Submits a purchase.
public struct EntitlementsSubmitRequest: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var request = EntitlementsSubmitRequest(signedTransaction: [])
      while let field = try fields.next() {
        switch Fields.EntitlementsSubmitRequest(rawValue: field.number) {
        case .signedTransaction: request.signedTransaction = [UInt8](try field.content())
        case .transfer: request.transfer = field.bool
        case nil: break
        }
      }
      return request
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.bytes(Fields.EntitlementsSubmitRequest.signedTransaction, signedTransaction)
    sink.flag(Fields.EntitlementsSubmitRequest.transfer, transfer)
  }
}

/// The result of submitting a purchase.
public struct EntitlementsSubmitResponse: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var rejection: RejectionParts?
      while let field = try fields.next() {
        switch Fields.EntitlementsSubmitResponse(rawValue: field.number) {
        case .rejection: rejection = try RejectionParts(field.content(), after: rejection)
        case nil: break
        }
      }
      return EntitlementsSubmitResponse(rejection: try rejection?.rejection())
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.EntitlementsSubmitResponse.rejection, rejection)
  }
}

extension EntitlementsSubmitResponse.Rejection: FieldWriting {
  func write(to sink: inout some FieldSink) {
    sink.text(Fields.Rejection.code, code)
    sink.number(Fields.Rejection.check, check)
    sink.text(Fields.Rejection.message, message)
    sink.flag(Fields.Rejection.retryable, retryable)
  }
}

/// A rejection's fields as they were sent.
private struct RejectionParts {
  private var code: Slice?
  private var check: UInt32 = 0
  private var message: Slice?
  private var retryable = false

  /// - Parameter earlier: What an earlier occurrence of the same field held.
  init(_ bytes: Slice, after earlier: RejectionParts?) throws(WireError) {
    (code, message) = (earlier?.code, earlier?.message)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Rejection(rawValue: field.number) {
      case .code: code = try field.content()
      case .check: check = try field.uint32()
      case .message: message = try field.content()
      case .retryable: retryable = field.bool
      case nil: break
      }
    }
  }

  func rejection() throws(WireError) -> EntitlementsSubmitResponse.Rejection {
    EntitlementsSubmitResponse.Rejection(
      code: try String(code, limitBytes: Limit.rejectionCodeBytes), check: check,
      message: try String(message, limitBytes: Limit.sentenceBytes), retryable: retryable)
  }
}

/// What an app needs before it offers a purchase.
public struct EntitlementsGetResponse: WireMessage, FieldWriting {
  /// Length of the account's token in bytes: a UUID.
  public static let tokenBytes = Limit.accountTokenBytes

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
    self = try decode(bytes) { fields throws(WireError) in
      var response = EntitlementsGetResponse(
        appAccountToken: [], verifies: false, held: 0, serverTime: WallTime(milliseconds: 0))
      while let field = try fields.next() {
        switch Fields.EntitlementsGetResponse(rawValue: field.number) {
        case .appAccountToken: response.appAccountToken = [UInt8](try field.content())
        case .verifies: response.verifies = field.bool
        case .held: response.held = try field.uint32()
        case .serverTimeMs: response.serverTime = WallTime(milliseconds: try field.int64())
        case nil: break
        }
      }
      try response.checkToken()
      return response
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.bytes(Fields.EntitlementsGetResponse.appAccountToken, appAccountToken)
    sink.flag(Fields.EntitlementsGetResponse.verifies, verifies)
    sink.number(Fields.EntitlementsGetResponse.held, held)
    sink.number(Fields.EntitlementsGetResponse.serverTimeMs, serverTime.milliseconds)
  }

  /// Checks the length of the token.
  package func checkToken() throws(WireError) {
    guard appAccountToken.count == Limit.accountTokenBytes else {
      throw .invalid("a token is not a UUID")
    }
  }
}
