// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes offers.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

extension Offer: WireMessage {
  /// Decodes an offer and its record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__offer__unpack) { message throws(WireError) in
      try Offer(message)
    }
  }

  /// The protobuf encoding, as stored in outboxes and sent in requests.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__offer__init, expectedBytes: 1024) { message, arena in
      message.record = arena.record(record)
      message.n_written = written.count
      message.written = arena.array(written) { $0 }
      message.restored = isRestored ? 1 : 0
    }
  }

  init(_ message: Atrest__Sync__V1__Offer) throws(WireError) {
    guard let record = message.record else { throw .invalid("an offer has no record") }
    guard message.n_written <= Record.Limits.registers else {
      throw .invalid("an offer names more fields than a record can have")
    }
    self.init(
      record: try Record(record.pointee),
      written: Array(
        UnsafeBufferPointer(
          start: message.written, count: message.written == nil ? 0 : message.n_written)),
      isRestored: message.restored != 0)
  }
}
