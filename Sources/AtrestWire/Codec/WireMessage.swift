// SPDX-License-Identifier: Apache-2.0
// A message as bytes: protobuf's wire format, read and written in Swift.

/// A protocol message as a Swift value.
///
/// Encoding is canonical: fields ascend, defaults are left out, repeated numbers are packed. So
/// equal values have equal bytes, and they are those that protobuf-c writes.
public protocol WireMessage: Hashable, Sendable {
  /// Decodes a message. Fields of later versions are skipped.
  ///
  /// - Parameter bytes: Untrusted bytes. None can trap; none within `Limit.messageBytes` takes more
  ///   than 8 MiB.
  /// - Throws: `WireError` if the bytes are malformed or violate the contract.
  /// - Complexity: O(bytes).
  init(decoding bytes: [UInt8]) throws(WireError)

  /// The protobuf encoding.
  var encoded: [UInt8] { get }
}

/// Passes the fields of a whole message to `body`, which must read them all. The bytes of a field
/// are valid only during that call.
func decode<Value>(
  _ bytes: [UInt8], _ body: (inout WireReader) throws(WireError) -> Value
) throws(WireError) -> Value {
  try bytes.withUnsafeBufferPointer { buffer throws(WireError) -> Value in
    var reader = WireReader(message: UnsafeRawBufferPointer(buffer))
    return try body(&reader)
  }
}

/// The numbers of a message's fields.
protocol FieldNumbers: RawRepresentable<UInt32> {}
