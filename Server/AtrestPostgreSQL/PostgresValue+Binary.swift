// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's binary format of values. Pure.

extension PostgresValue {
  /// Types that rows may have beyond those of parameters, by their number in the catalog.
  private enum OtherType {
    static let name: UInt32 = 19
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let oid: UInt32 = 26
    static let varchar: UInt32 = 1043
    static let void: UInt32 = 2278
  }

  /// Appends the value's bytes. Null has none, and libpq is told so by the pointer.
  func append(to buffer: inout [UInt8]) {
    switch self {
    case .null: break
    case .bool(let flag): buffer.append(flag ? 1 : 0)
    case .int8(let number): buffer.append(bigEndian: number)
    case .text(let text): buffer.append(contentsOf: text.utf8)
    case .bytea(let bytes): buffer.append(contentsOf: bytes)
    case .int8Array(let elements):
      buffer.append(array: elements, of: .int8) { $0.append(bigEndian: $1) }
    case .textArray(let elements):
      buffer.append(array: elements, of: .text) { $0.append(contentsOf: $1.utf8) }
    case .byteaArray(let elements):
      buffer.append(array: elements, of: .bytea) { $0.append(contentsOf: $1) }
    }
  }

  /// The size in the binary format, in bytes: what a batch is charged for the value.
  var byteCount: Int {
    func sum<Element>(_ elements: [Element?], _ size: (Element) -> Int) -> Int {
      elements.reduce(20) { $0 + 4 + ($1.map(size) ?? 0) }
    }
    return switch self {
    case .null: 0
    case .bool: 1
    case .int8: 8
    case .text(let text): text.utf8.count
    case .bytea(let bytes): bytes.count
    case .int8Array(let elements): sum(elements) { _ in 8 }
    case .textArray(let elements): sum(elements) { $0.utf8.count }
    case .byteaArray(let elements): sum(elements) { $0.count }
    }
  }

  /// Reads a value of a row.
  /// - Parameter type: The column's type, by its number in the catalog.
  /// - Returns: Nil for a type without a case, and for bytes that are not of that type.
  init?(_ bytes: UnsafeRawBufferPointer, type: UInt32) {
    var reader = BinaryReader(bytes: bytes[...])
    let value: PostgresValue?
    switch type {
    case PostgresType.bool.rawValue:
      value = reader.integer(UInt8.self).map { .bool($0 != 0) }
    case PostgresType.int8.rawValue: value = reader.integer(Int64.self).map { .int8($0) }
    case OtherType.int4: value = reader.integer(Int32.self).map { .int8(Int64($0)) }
    case OtherType.int2: value = reader.integer(Int16.self).map { .int8(Int64($0)) }
    case OtherType.oid: value = reader.integer(UInt32.self).map { .int8(Int64($0)) }
    case PostgresType.text.rawValue, OtherType.varchar, OtherType.name:
      value = .text(String(decoding: reader.rest(), as: UTF8.self))
    case PostgresType.bytea.rawValue: value = .bytea(Array(reader.rest()))
    case PostgresType.int8Array.rawValue:
      value = reader.array(of: .int8) { $0.integer(Int64.self) }.map { .int8Array($0) }
    case PostgresType.textArray.rawValue:
      value = reader.array(of: .text) { String(decoding: $0.rest(), as: UTF8.self) }
        .map { .textArray($0) }
    case PostgresType.byteaArray.rawValue:
      value = reader.array(of: .bytea) { Array($0.rest()) }.map { .byteaArray($0) }
    case OtherType.void: value = .null  // pg_notify answers it.
    default: value = nil
    }
    guard let value, reader.bytes.isEmpty else { return nil }
    self = value
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Dimensions, whether there are nulls, the element's type; then size and lower bound of the one
  /// dimension; then each element behind its length, which is -1 for null.
  fileprivate mutating func append<Item>(
    array elements: [Item?], of type: PostgresType,
    _ write: (inout [UInt8], Item) -> Void
  ) {
    append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    append(bigEndian: Int32(elements.contains { $0 == nil } ? 1 : 0))
    append(bigEndian: type.rawValue)
    guard !elements.isEmpty else { return }
    append(bigEndian: Int32(elements.count))
    append(bigEndian: Int32(1))
    for element in elements {
      let start = count
      append(bigEndian: Int32(-1))
      guard let element else { continue }
      write(&self, element)
      let length = Int32(count - start - 4).bigEndian
      Swift.withUnsafeBytes(of: length) { replaceSubrange(start..<start + 4, with: $0) }
    }
  }
}

/// Reads what `append` wrote, and trusts none of its lengths.
private struct BinaryReader {
  var bytes: Slice<UnsafeRawBufferPointer>

  mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    guard let raw = take(Number.bitWidth / 8) else { return nil }
    return Number(bigEndian: UnsafeRawBufferPointer(rebasing: raw).loadUnaligned(as: Number.self))
  }

  mutating func take(_ count: Int) -> Slice<UnsafeRawBufferPointer>? {
    guard count >= 0, count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func rest() -> Slice<UnsafeRawBufferPointer> {
    defer { bytes = bytes.suffix(0) }
    return bytes
  }

  mutating func array<Element>(
    of type: PostgresType, _ read: (inout BinaryReader) -> Element?
  ) -> [Element?]? {
    guard let dimensions = integer(Int32.self), integer(Int32.self) != nil,
      integer(UInt32.self) == type.rawValue
    else { return nil }
    if dimensions == 0 { return [] }
    guard dimensions == 1, let count = integer(Int32.self), integer(Int32.self) != nil else {
      return nil
    }
    var elements: [Element?] = []
    for _ in 0..<max(0, count) {
      guard let length = integer(Int32.self) else { return nil }
      if length == -1 {
        elements.append(nil)
        continue
      }
      guard let raw = take(Int(length)) else { return nil }
      var inner = BinaryReader(bytes: raw)
      guard let element = read(&inner), inner.bytes.isEmpty else { return nil }
      elements.append(element)
    }
    return elements
  }
}
