// SPDX-License-Identifier: Apache-2.0
// Splits a message into its fields. For any bytes, it throws where protobuf-c rejects, and nowhere
// else.

/// The bytes of a message or a field while it is decoded. Borrowed: valid only during decoding.
typealias Slice = UnsafeRawBufferPointer

/// Reads the fields of one message, in the order in which they were sent.
///
/// A field may occur several times. Of a number, bytes or text the last one counts. Occurrences of
/// a message are merged as protobuf-c does: the later one's numbers count, even where they are
/// absent; text, bytes and messages that it lacks are taken from the earlier one; lists are joined.
struct WireReader {
  private let bytes: Slice
  private var position = 0
  private var fieldsLeft: Int

  /// Reads an embedded message. It may have any number of fields.
  init(_ bytes: Slice) {
    self.bytes = bytes
    fieldsLeft = .max
  }

  /// Reads a whole message. It may have as many fields as is plausible for its size; otherwise the
  /// smallest fields would cost most.
  init(message bytes: Slice) {
    self.bytes = bytes
    fieldsLeft = max(Limit.messageFields, bytes.count / 16)
  }

  /// The next field; nil at the end.
  mutating func next() throws(WireError) -> WireField? {
    guard position < bytes.count else { return nil }
    guard fieldsLeft > 0 else { throw .invalid("a message has very many fields") }
    fieldsLeft -= 1
    let (first, tag) = (bytes[position], position)
    let number = try takeNumber(first)
    let start = position
    var prefix = 0
    switch first & 7 {
    case 0: try skipVarint()
    case 1: try skip(8)
    case 2:
      let length = try takeLength()
      prefix = position - start
      try skip(length)
    case 5: try skip(4)
    default: throw .malformed  // A group, or no wire type at all.
    }
    return WireField(
      number: number, wireType: first & 7, tag: UInt8(truncatingIfNeeded: start - tag),
      prefix: prefix, raw: Slice(rebasing: bytes[start..<position]))
  }

  /// A field's number with its wire type takes at most five bytes; overlong ones are accepted.
  private mutating func takeNumber(_ first: UInt8) throws(WireError) -> UInt32 {
    position += 1
    var number = UInt32(first & 0x7F) >> 3
    guard first >= 0x80 else {
      guard number > 0 else { throw .malformed }
      return number
    }
    for shift in stride(from: UInt32(4), through: 25, by: 7) {
      guard position < bytes.count else { throw .malformed }
      let byte = bytes[position]
      position += 1
      number |= UInt32(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw .malformed
  }

  /// A length takes at most five bytes; overlong ones are accepted.
  private mutating func takeLength() throws(WireError) -> Int {
    var length: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 28, by: 7) {
      guard position < bytes.count else { throw .malformed }
      let byte = bytes[position]
      position += 1
      length |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard length <= UInt64(bytes.count - position) else { throw .malformed }
        return Int(length)
      }
    }
    throw .malformed
  }

  private mutating func skip(_ count: Int) throws(WireError) {
    guard count <= bytes.count - position else { throw .malformed }
    position += count
  }

  /// A number takes at most ten bytes; overlong ones are accepted.
  private mutating func skipVarint() throws(WireError) {
    let end = min(bytes.count, position + 10)
    while position < end {
      position += 1
      if bytes[position - 1] < 0x80 { return }
    }
    throw .malformed
  }
}
