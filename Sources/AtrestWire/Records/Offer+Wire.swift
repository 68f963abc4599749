// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes offers.

import AtrestReplication

extension Offer: WireMessage, FieldWriting {
  /// Decodes an offer and its record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var record: RecordParts?
      var written: [FieldNumber] = []
      var isRestored = false
      while let field = try fields.next() {
        switch Fields.Offer(rawValue: field.number) {
        case .record: record = try RecordParts(field.content(), after: record)
        case .writtenFields: try field.append(to: &written)
        case .restored: isRestored = field.bool
        case nil: break
        }
      }
      guard let record else { throw Offer.empty }
      try Offer.checkBounds(written: written.count)
      return Offer(record: try record.record(), written: written, isRestored: isRestored)
    }
  }

  /// The protobuf encoding, as stored in outboxes and sent in requests.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.Offer.record, record)
    sink.packed(Fields.Offer.writtenFields, written)
    sink.flag(Fields.Offer.restored, isRestored)
  }
}
