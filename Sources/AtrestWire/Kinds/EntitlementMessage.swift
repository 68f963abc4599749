// SPDX-License-Identifier: Apache-2.0
// The message of KIND_ENTITLEMENT: what the App Store signed.

import AtrestReplication

/// The message of KIND_ENTITLEMENT. See `SessionMessage`.
public struct EntitlementMessage: WireMessage, FieldWriting {
  /// The App Store's signed transaction. Not verified.
  public var signedTransaction: [UInt8]

  /// Creates a message from its field.
  public init(signedTransaction: [UInt8]) {
    self.signedTransaction = signedTransaction
  }

  /// Decodes the message of an entitlement's record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var signed = Slice.none
      while let field = try fields.next() {
        switch Fields.Entitlement(rawValue: field.number) {
        case .signedTransaction: signed = try field.content()
        case nil: break
        }
      }
      return EntitlementMessage(signedTransaction: [UInt8](signed))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.bytes(Fields.Entitlement.signedTransaction, signedTransaction)
  }
}

/// The field of an entitlement.
public enum EntitlementField {
  /// The App Store's signed transaction.
  public static let signedTransaction = Fields.Entitlement.signedTransaction.rawValue

  /// Reads the signed transaction of a record.
  public static func jws(of record: Record) throws(WireError) -> [UInt8] {
    try EntitlementMessage(decoding: record.message).signedTransaction
  }
}
