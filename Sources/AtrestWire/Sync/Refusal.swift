// SPDX-License-Identifier: Apache-2.0
// Why the server rejected an offer.

import AtrestReplication

/// Why one offer was rejected. The replica keeps the record; other offers are not affected.
public struct Refusal: Hashable, Sendable {
  /// The machine-readable cause.
  public typealias Reason = RefusalReason

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
