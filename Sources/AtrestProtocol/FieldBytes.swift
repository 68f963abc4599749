// SPDX-License-Identifier: Apache-2.0
// Writes protobuf fields by hand, for what protobuf-c has no type for.

extension [UInt8] {
  /// Appends a field of bytes, of text or of a message.
  mutating func append(field number: UInt64, _ content: some Collection<UInt8>) {
    append(varint: number << 3 | 2)
    append(varint: UInt64(content.count))
    self += content
  }

  /// Appends a field of a number.
  mutating func append(field number: UInt64, _ value: UInt64) {
    append(varint: number << 3)
    append(varint: value)
  }

  private mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
