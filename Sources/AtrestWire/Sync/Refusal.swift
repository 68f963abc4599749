// SPDX-License-Identifier: Apache-2.0
// Why the server rejected an offer.

/// Why one offer was rejected. The replica keeps the record; other offers are not affected.
public struct Refusal: Hashable, Sendable {
  /// The machine-readable cause. Unknown numbers come from newer servers.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int

    /// Creates a reason from its wire number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// A stamp is too far ahead of the server's clock.
    public static let clockSkew = Reason(rawValue: 1)
    /// The record violates a rule of records.proto.
    public static let invalid = Reason(rawValue: 2)
    /// The record or one of its values is too large.
    public static let tooLarge = Reason(rawValue: 3)
    /// The request would delete most of the account's records.
    public static let massDeletion = Reason(rawValue: 5)
    /// The server's copy of the record is damaged.
    public static let damaged = Reason(rawValue: 6)
    /// The account's quota is reached, and the record is new or has grown.
    public static let quota = Reason(rawValue: 7)

    /// Reasons for which the same write may be accepted later. The record's later writes wait for
    /// it.
    public static let transient: [Reason] = [.clockSkew, .quota]
  }

  /// The offer's index in its request.
  public let index: Int
  /// The machine-readable cause.
  public let reason: Reason
  /// One sentence for the user, without any value of the record.
  public let message: String

  /// Creates a refusal from its fields.
  public init(index: Int, reason: Reason, message: String) {
    self.index = index
    self.reason = reason
    self.message = message
  }
}

extension Refusal: FieldWriting {
  init(_ bytes: Slice) throws(WireError) {
    var (index, reason) = (0 as UInt32, 0 as UInt32)
    var message: Slice?
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Refusal(rawValue: field.number) {
      case .index: index = try field.uint32()
      case .reason: reason = try field.uint32()
      case .message: message = try field.content()
      case nil: break
      }
    }
    self.init(
      index: Int(clamping: index), reason: Reason(rawValue: Int(truncatingIfNeeded: reason)),
      message: try String(message, limitBytes: Limit.sentenceBytes))
  }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.Refusal.index, UInt32(clamping: index))
    sink.enumeration(Fields.Refusal.reason, UInt32(truncatingIfNeeded: reason.rawValue))
    sink.text(Fields.Refusal.message, message)
  }
}
