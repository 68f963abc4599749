// SPDX-License-Identifier: Apache-2.0
// What a message writes its fields to: first a count of bytes, then the bytes.

/// A value that writes itself as the fields of a message, ascending by number.
protocol FieldWriting {
  /// Writes every field. Called once for the size and once for the bytes.
  func write(to sink: inout some FieldSink)
}

/// Takes a message's fields. Defaults (zero, false, empty) are left out.
protocol FieldSink {
  /// Writes a number in seven-bit groups.
  mutating func varint(_ number: UInt64)
  /// Writes a number in eight bytes.
  mutating func eightBytes(_ number: UInt64)
  /// Writes bytes as they are.
  mutating func copy(_ bytes: Slice)
  /// Writes text as UTF-8.
  mutating func copy(_ text: String)
  /// Writes a message's length and its fields.
  mutating func nested(_ message: some FieldWriting)
}

extension FieldSink {
  private mutating func tag(_ field: some FieldNumbers, _ wireType: UInt64) {
    varint(UInt64(field.rawValue) << 3 | wireType)
  }

  /// `uint64`, `uint32`.
  mutating func number(_ field: some FieldNumbers, _ value: UInt64) {
    guard value != 0 else { return }
    tag(field, 0)
    varint(value)
  }

  /// `uint32`.
  mutating func number(_ field: some FieldNumbers, _ value: UInt32) {
    number(field, UInt64(value))
  }

  /// `int64`.
  mutating func number(_ field: some FieldNumbers, _ value: Int64) {
    number(field, UInt64(bitPattern: value))
  }

  /// An enum, by its 32 bits. Numbers from 2^31 are negative ones, which take ten bytes.
  mutating func enumeration(_ field: some FieldNumbers, _ value: UInt32) {
    number(field, Int64(Int32(bitPattern: value)))
  }

  /// `bool`.
  mutating func flag(_ field: some FieldNumbers, _ value: Bool) {
    if value { number(field, 1 as UInt64) }
  }

  /// `fixed64`.
  mutating func fixed64(_ field: some FieldNumbers, _ value: UInt64) {
    guard value != 0 else { return }
    tag(field, 1)
    eightBytes(value)
  }

  /// `bytes`.
  mutating func bytes(_ field: some FieldNumbers, _ value: [UInt8]) {
    if !value.isEmpty { element(field, value) }
  }

  /// `string`.
  mutating func text(_ field: some FieldNumbers, _ value: String) {
    guard !value.isEmpty else { return }
    tag(field, 2)
    varint(UInt64(value.utf8.count))
    copy(value)
  }

  /// A message; nil for none.
  mutating func message(_ field: some FieldNumbers, _ value: (some FieldWriting)?) {
    guard let value else { return }
    tag(field, 2)
    nested(value)
  }

  /// A list of messages.
  mutating func messages(_ field: some FieldNumbers, _ values: [some FieldWriting]) {
    for value in values { message(field, value) }
  }

  /// A list of messages or bytes that are encoded already.
  mutating func elements(_ field: some FieldNumbers, _ values: [[UInt8]]) {
    for value in values { element(field, value) }
  }

  private mutating func element(_ field: some FieldNumbers, _ value: [UInt8]) {
    tag(field, 2)
    varint(UInt64(value.count))
    value.withUnsafeBytes { copy($0) }
  }

  /// `repeated uint32`, packed.
  mutating func packed(_ field: some FieldNumbers, _ values: [UInt32]) {
    guard !values.isEmpty else { return }
    var size = WireSize()
    for value in values { size.varint(UInt64(value)) }
    tag(field, 2)
    varint(UInt64(size.bytes))
    for value in values { varint(UInt64(value)) }
  }

  /// `repeated` enums, packed, by their 32 bits: see `enumeration`.
  mutating func packed(enumerations field: some FieldNumbers, _ values: [UInt32]) {
    guard !values.isEmpty else { return }
    let numbers = values.map { UInt64(bitPattern: Int64(Int32(bitPattern: $0))) }
    var size = WireSize()
    for number in numbers { size.varint(number) }
    tag(field, 2)
    varint(UInt64(size.bytes))
    for number in numbers { varint(number) }
  }

  /// `repeated fixed64`, packed.
  mutating func packed(_ field: some FieldNumbers, _ values: [UInt64]) {
    guard !values.isEmpty else { return }
    tag(field, 2)
    varint(UInt64(values.count * 8))
    for value in values { eightBytes(value) }
  }
}
