// SPDX-License-Identifier: Apache-2.0
// The fields of a record of any kind, as values: for kinds that apps bring.

import AtrestReplication

/// The fields of a record by number, each a register of its own: two devices that edit different
/// fields both win.
///
/// A value is kept as the kind's protobuf message would hold it, so other languages read it with a
/// message of theirs: text as `string`, integers as `int64`, flags as `bool`, numbers as `double`,
/// bytes as `bytes`, a group as an embedded message. A field that is nil is not set, which differs
/// from empty and from zero. Merging looks at stamps only, so bytes may be sealed.
public struct RecordFields: Hashable, Sendable {
  /// One field with its register value, which is empty for nil.
  package struct Value: Hashable, Sendable {
    package let field: FieldNumber
    package var bytes: [UInt8]
  }

  /// The fields in ascending order, each once. An array: a record has few, and lists have many
  /// records.
  package private(set) var values: [Value] = []

  /// No fields.
  public init() {}

  /// The fields of a record, but for those that say whether it is deleted.
  public init(_ record: Record) {
    values.reserveCapacity(record.registers.count)
    for register in record.registers where Self.isUsable(register.field) {
      values.append(Value(field: register.field, bytes: register.value))
    }
  }

  /// The field of a register alone; none for one that says whether the record is deleted.
  public init(_ register: Register) {
    if Self.isUsable(register.field) {
      values = [Value(field: register.field, bytes: register.value)]
    }
  }

  /// The fields of a stored record, without the stamps, which cost most of decoding one; nil for a
  /// deleted record.
  ///
  /// - Parameter record: Bytes that a record was encoded as.
  package static func live(inEncoded record: [UInt8]) throws(WireError) -> RecordFields? {
    // Around the closure, because `withUnsafeBytes` loses the error's type in Embedded Swift.
    let result = record.withUnsafeBytes { bytes -> Result<RecordFields?, WireError> in
      do throws(WireError) {
        var fields = RecordFields()
        fields.values.reserveCapacity(4)
        var reader = WireReader(bytes)
        while let next = try reader.next() {
          guard next.number == Fields.Record.registers.rawValue else { continue }
          var (field, value) = (FieldNumber(0), Slice.none)
          var register = WireReader(try next.content())
          while let part = try register.next() {
            switch Fields.Register(rawValue: part.number) {
            case .field: field = try part.uint32()
            case .value: value = try part.content()
            case .stamp, .replaced, nil: break
            }
          }
          if field == Register.deletedField, value.elementsEqual(Register.deletedValue) {
            return .success(nil)
          }
          // A record's registers ascend by field.
          if isUsable(field) {
            fields.values.append(Value(field: field, bytes: [UInt8](value)))
          }
        }
        return .success(fields)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Whether a kind may have a field of this number: 2 to 536,870,911, but for 15, which the
  /// protocol uses, and 19,000 to 19,999, which protobuf keeps to itself.
  public static func isUsable(_ field: FieldNumber) -> Bool {
    isNumber(field) && field != Register.deletedField && field != Register.pruneFloorField
  }

  private static func isNumber(_ field: FieldNumber) -> Bool {
    (1...536_870_911).contains(field) && !(19_000...19_999).contains(field)
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

  /// The field as a group of fields, which are one register: for values that belong together, such
  /// as a time and the zone that it was written in. A group's fields have numbers from 1 on, at
  /// most 64 of them, and nothing merges them apart. nil if the field is not set or holds something
  /// else.
  public subscript(group field: FieldNumber) -> RecordFields? {
    get {
      last(field) { field throws(WireError) in try RecordFields(message: field.content()) }
    }
    set { set(field, newValue.map { .bytes($0.message) }) }
  }

  /// The fields of an embedded message. Of a field that occurs several times the last one counts.
  /// A message of more fields than a record has registers is no group.
  private init(message bytes: Slice) throws(WireError) {
    var reader = WireReader(bytes)
    while let next = try reader.next() {
      self[register: next.number] = next.encoded
      guard values.count <= Limit.registers else {
        throw .invalid("a group has very many fields")
      }
    }
  }

  /// The fields that differ from those of an earlier value.
  package func changed(from earlier: RecordFields) -> RecordFields {
    var changed = RecordFields()
    changed.values = values.filter { (earlier[register: $0.field] ?? []) != $0.bytes }
    return changed
  }

  /// The message of the kind that has these fields.
  package var message: [UInt8] {
    values.flatMap { $0.bytes }
  }

  /// Sets a register value that is encoded already.
  package subscript(register field: FieldNumber) -> [UInt8]? {
    get {
      let index = index(of: field)
      return index < values.count && values[index].field == field ? values[index].bytes : nil
    }
    set {
      let index = index(of: field)
      let isThere = index < values.count && values[index].field == field
      switch (isThere, newValue) {
      case (true, let bytes?): values[index].bytes = bytes
      case (false, let bytes?): values.insert(Value(field: field, bytes: bytes), at: index)
      case (true, nil): values.remove(at: index)
      case (false, nil): break
      }
    }
  }

  /// The place of a field among the values, or where it would be.
  private func index(of field: FieldNumber) -> Int {
    var index = 0
    while index < values.count, values[index].field < field { index += 1 }
    return index
  }

  // MARK: - As bytes

  private mutating func set(_ field: FieldNumber, _ value: PresentField.Value?) {
    precondition(Self.isNumber(field), "\(field) is no number of a field")
    self[register: field] = value.map { encode(PresentField(number: field, value: $0)) } ?? []
  }

  /// Reads the last occurrence of the field in its register, while its bytes are borrowed; nil for
  /// an empty or malformed one, and for one of another type.
  private func last<Value>(
    _ field: FieldNumber, _ read: (WireField) throws(WireError) -> Value?
  ) -> Value? {
    guard let value = self[register: field], !value.isEmpty else { return nil }
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
