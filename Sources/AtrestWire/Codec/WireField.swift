// SPDX-License-Identifier: Apache-2.0
// One field of a message, and the values that its bytes can stand for.

/// A field with its bytes. Reading it as a type of another wire type throws `WireError.malformed`.
struct WireField {
  /// The field's number; 0 and numbers beyond the contract's are those of unknown fields.
  let number: UInt32
  fileprivate let wireType: UInt8
  /// The bytes of the tag before all of it.
  fileprivate let tag: UInt8
  /// The bytes of the length before the value; 0 for numbers.
  fileprivate let prefix: Int
  /// The value as sent, with the length before it.
  fileprivate let raw: Slice

  init(number: UInt32, wireType: UInt8, tag: UInt8, prefix: Int, raw: Slice) {
    self.number = number
    self.wireType = wireType
    self.tag = tag
    self.prefix = prefix
    self.raw = raw
  }

  /// The field as it was sent, with its tag.
  var sent: Slice {
    Slice(start: raw.baseAddress.map { $0 - Int(tag) }, count: Int(tag) + raw.count)
  }

  /// Whether any bit of the value is set. protobuf-c accepts every wire type here.
  var bool: Bool {
    for byte in raw where byte & 0x7F != 0 { return true }
    return false
  }

  /// `uint64`. Bits beyond the 64th are dropped.
  func uint64() throws(WireError) -> UInt64 {
    guard wireType == 0 else { throw .malformed }
    return Self.varint(raw)
  }

  /// `uint32` or an enum. Bits beyond the 32nd are dropped.
  func uint32() throws(WireError) -> UInt32 {
    UInt32(truncatingIfNeeded: try uint64())
  }

  /// `int64`.
  func int64() throws(WireError) -> Int64 {
    Int64(bitPattern: try uint64())
  }

  /// `fixed64`.
  func fixed64() throws(WireError) -> UInt64 {
    guard wireType == 1 else { throw .malformed }
    return UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
  }

  /// `bytes`, `string` or a message. Text is checked when it is read: see
  /// `String.init(_:limitBytes:)`.
  func content() throws(WireError) -> Slice {
    guard wireType == 2 else { throw .malformed }
    return Slice(rebasing: raw[prefix...])
  }

  /// `repeated uint32`, packed or not.
  func append(to numbers: inout [UInt32]) throws(WireError) {
    guard wireType == 2 else {
      numbers.append(try uint32())
      return
    }
    let packed = try content()
    var start = 0
    while start < packed.count {
      var end = start
      while end < packed.count, packed[end] >= 0x80 { end += 1 }
      guard end < packed.count, end - start < 10 else { throw .malformed }
      numbers.append(
        UInt32(truncatingIfNeeded: Self.varint(Slice(rebasing: packed[start...end]))))
      start = end + 1
    }
  }

  /// `repeated fixed64`, packed or not.
  func append(to numbers: inout [UInt64]) throws(WireError) {
    guard wireType == 2 else {
      numbers.append(try fixed64())
      return
    }
    let packed = try content()
    guard packed.count % 8 == 0 else { throw .malformed }
    for offset in stride(from: 0, to: packed.count, by: 8) {
      numbers.append(
        UInt64(littleEndian: packed.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
  }

  /// A number of at most ten bytes, the last of which ends it.
  private static func varint(_ bytes: Slice) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
    }
    return number
  }
}

extension UnsafeRawBufferPointer {
  /// The value of an absent field.
  static var none: Slice { Slice(start: nil, count: 0) }
}

extension String {
  /// Text as it was sent; absent text is empty.
  ///
  /// - Throws: `WireError` if it is not UTF-8, is longer than `limitBytes`, or has a NUL, where
  ///   other implementations would end it.
  init(_ slice: Slice?, limitBytes: Int) throws(WireError) {
    guard let slice, !slice.isEmpty else {
      self = ""
      return
    }
    for byte in slice where byte == 0 { throw .invalid("text has a NUL in it") }
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw .invalid("text is not UTF-8")
    }
    guard slice.count <= limitBytes else { throw .invalid("text is too long") }
    self = text
  }
}
