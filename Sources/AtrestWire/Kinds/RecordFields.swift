// SPDX-License-Identifier: Apache-2.0
// The fields of a record of any kind, as values: for kinds that apps bring.

import AtrestReplication

/// The fields of a record by number, each a register of its own: two devices that edit different
/// fields both win.
///
/// A value is kept as the kind's protobuf message would hold it, so other languages read it with a
/// message of theirs: text as `string`, integers as `int64`, flags as `bool`, numbers as `double`,
/// bytes as `bytes`. A field that is nil is not set, which differs from empty and from zero.
/// Merging looks at stamps only, so bytes may be sealed.
public struct RecordFields: Hashable, Sendable {
  /// Each field's register value; empty for nil.
  package private(set) var values: [FieldNumber: [UInt8]] = [:]

  /// No fields.
  public init() {}

  /// The fields of a record, but for those that say whether it is deleted.
  public init(_ record: Record) {
    for register in record.registers where Self.isUsable(register.field) {
      values[register.field] = register.value
    }
  }

  /// The field of a register alone; none for one that says whether the record is deleted.
  public init(_ register: Register) {
    if Self.isUsable(register.field) { values[register.field] = register.value }
  }

  /// Whether a kind may have a field of this number: 2 to 536,870,911, but for 15, which the
  /// protocol uses, and 19,000 to 19,999, which protobuf keeps to itself.
  public static func isUsable(_ field: FieldNumber) -> Bool {
    (2...536_870_911).contains(field) && field != Register.pruneFloorField
      && !(19_000...19_999).contains(field)
  }

  /// The field as text; nil if it is not set or holds something else.
  public subscript(text field: FieldNumber) -> String? {
    get {
      last(field) { field throws(WireError) in
        try String(validating: field.content(), as: UTF8.self)
      }
    }
    set { set(field, newValue.map { .bytes(Array($0.utf8)) }) }
  }

  /// The field as bytes; nil if it is not set or holds something else.
  public subscript(bytes field: FieldNumber) -> [UInt8]? {
    get { last(field) { field throws(WireError) in Array(try field.content()) } }
    set { set(field, newValue.map { .bytes($0) }) }
  }

  /// The field as an integer; nil if it is not set or holds something else.
  public subscript(integer field: FieldNumber) -> Int64? {
    get { last(field) { field throws(WireError) in try field.int64() } }
    set { set(field, newValue.map { .varint(UInt64(bitPattern: $0)) }) }
  }

  /// The field as a flag; nil if it is not set or holds something else.
  public subscript(flag field: FieldNumber) -> Bool? {
    get { last(field) { field throws(WireError) in try field.uint64() != 0 } }
    set { set(field, newValue.map { .varint($0 ? 1 : 0) }) }
  }

  /// The field as a floating-point number; nil if it is not set or holds something else.
  public subscript(number field: FieldNumber) -> Double? {
    get { last(field) { field throws(WireError) in Double(bitPattern: try field.fixed64()) } }
    set { set(field, newValue.map { .eightBytes($0.bitPattern) }) }
  }

  /// The fields that differ from those of an earlier value.
  package func changed(from earlier: RecordFields) -> RecordFields {
    var changed = RecordFields()
    changed.values = values.filter { (earlier.values[$0.key] ?? []) != $0.value }
    return changed
  }

  /// The message of the kind that has these fields.
  package var message: [UInt8] {
    values.sorted { $0.key < $1.key }.flatMap { $0.value }
  }

  /// Sets a register value that is encoded already.
  package subscript(register field: FieldNumber) -> [UInt8]? {
    get { values[field] }
    set { values[field] = newValue }
  }

  // MARK: - As bytes

  private mutating func set(_ field: FieldNumber, _ value: PresentField.Value?) {
    precondition(Self.isUsable(field), "field \(field) belongs to the protocol")
    values[field] = value.map { encode(PresentField(number: field, value: $0)) } ?? []
  }

  /// Reads the last occurrence of the field in its register, while its bytes are borrowed; nil for
  /// an empty or malformed one, and for one of another type.
  private func last<Value>(
    _ field: FieldNumber, _ read: (WireField) throws(WireError) -> Value?
  ) -> Value? {
    guard let value = values[field], !value.isEmpty else { return nil }
    return value.withUnsafeBytes { bytes -> Value? in
      var reader = WireReader(bytes)
      var found: Value?
      do throws(WireError) {
        while let next = try reader.next() {
          if next.number == field { found = try read(next) }
        }
      } catch {
        return nil
      }
      return found
    }
  }
}

/// One field of a message, written even if it holds its type's default.
private struct PresentField: FieldWriting {
  enum Value {
    case varint(UInt64)
    case eightBytes(UInt64)
    case bytes([UInt8])
  }

  let number: FieldNumber
  let value: Value

  func write(to sink: inout some FieldSink) {
    let tag = UInt64(number) << 3
    switch value {
    case .varint(let number):
      sink.varint(tag)
      sink.varint(number)
    case .eightBytes(let bits):
      sink.varint(tag | 1)
      sink.eightBytes(bits)
    case .bytes(let bytes):
      sink.varint(tag | 2)
      sink.varint(UInt64(bytes.count))
      bytes.withUnsafeBytes { sink.copy($0) }
    }
  }
}
