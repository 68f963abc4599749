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
public struct RecordFields: Sendable {
  /// Where the register value of a field is; an empty range for nil.
  private struct Place {
    let field: FieldNumber
    let range: Range<Int>
  }

  /// The bytes with the values in them. What was read shares them with what it was read from, so a
  /// list of many records copies none of them.
  private var bytes: [UInt8] = []
  /// The fields in ascending order, each once. An array: a record has few, and lists have many
  /// records.
  private var places: [Place] = []

  /// No fields.
  public init() {}

  /// The fields of a record, but for those that say whether it is deleted.
  public init(_ record: Record) {
    for register in record.registers where Self.isUsable(register.field) {
      self[register: register.field] = register.value
    }
  }

  /// The field of a register alone; none for one that says whether the record is deleted.
  public init(_ register: Register) {
    if Self.isUsable(register.field) { self[register: register.field] = register.value }
  }

  /// The fields of a stored record, without the stamps, which cost most of decoding one; nil for a
  /// deleted record.
  ///
  /// - Parameters:
  ///   - record: Bytes that a record was encoded as.
  ///   - wanted: The fields to read; nil for all.
  package static func live(
    inEncoded record: [UInt8], only wanted: [FieldNumber]? = nil
  ) throws(WireError) -> RecordFields? {
    // Around the closure, because `withUnsafeBytes` loses the error's type in Embedded Swift.
    let result = record.withUnsafeBytes { bytes -> Result<RecordFields?, WireError> in
      do throws(WireError) {
        var fields = RecordFields()
        fields.bytes = record
        fields.places.reserveCapacity(4)
        var reader = WireReader(bytes)
        while let next = try reader.next() {
          guard next.number == Fields.Record.registers.rawValue else { continue }
          var (field, value) = (FieldNumber(0), Slice.none)
          var register = WireReader(try next.content())
          while let part = try register.next() {
            switch Fields.Register(rawValue: part.number) {
            case .field: field = try part.uint32()
            case .value: value = try part.content()
            case .stamp, .replaced, .heldStamps, nil: break
            }
          }
          if field == Register.deletedField, value.elementsEqual(Register.deletedValue) {
            return .success(nil)
          }
          // A record's registers ascend by field.
          if isUsable(field), wanted?.contains(field) ?? true {
            fields.places.append(Place(field: field, range: bytes.range(of: value)))
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
      last(field) { field, _ throws(WireError) in
        try String(validating: field.content(), as: UTF8.self)
      }
    }
    set { set(field, newValue.map { .bytes(Array($0.utf8)) }) }
  }

  /// The field as bytes; nil if it is not set or holds something else.
  public subscript(bytes field: FieldNumber) -> [UInt8]? {
    get { last(field) { field, _ throws(WireError) in Array(try field.content()) } }
    set { set(field, newValue.map { .bytes($0) }) }
  }

  /// The field as the id of another record, in its 16 bytes; nil if it is not set or holds
  /// something else.
  public subscript(id field: FieldNumber) -> RecordUUID? {
    get { last(field) { field, _ throws(WireError) in RecordUUID(bytes: try field.content()) } }
    set { self[bytes: field] = newValue?.bytes }
  }

  /// The field as an integer; nil if it is not set or holds something else.
  public subscript(integer field: FieldNumber) -> Int64? {
    get { last(field) { field, _ throws(WireError) in try field.int64() } }
    set { set(field, newValue.map { .varint(UInt64(bitPattern: $0)) }) }
  }

  /// The field as a flag; nil if it is not set or holds something else.
  public subscript(flag field: FieldNumber) -> Bool? {
    get { last(field) { field, _ throws(WireError) in try field.uint64() != 0 } }
    set { set(field, newValue.map { .varint($0 ? 1 : 0) }) }
  }

  /// The field as a floating-point number; nil if it is not set or holds something else.
  public subscript(number field: FieldNumber) -> Double? {
    get { last(field) { field, _ throws(WireError) in Double(bitPattern: try field.fixed64()) } }
    set { set(field, newValue.map { .eightBytes($0.bitPattern) }) }
  }

  /// The field as a group of fields, which are one register: for values that belong together, such
  /// as a time and the zone that it was written in. A group's fields have numbers from 1 on, at
  /// most 64 of them, and nothing merges them apart. nil if the field is not set or holds something
  /// else.
  public subscript(group field: FieldNumber) -> RecordFields? {
    get {
      last(field) { field, all throws(WireError) in
        try RecordFields(message: field.content(), in: all, bytes)
      }
    }
    set { set(field, newValue.map { .bytes($0.message) }) }
  }

  /// The fields of an embedded message. Of a field that occurs several times the last one counts.
  /// A message of more fields than a record has registers is no group.
  ///
  /// - Parameter all: The bytes that the message is part of, as they are borrowed.
  private init(message: Slice, in all: Slice, _ bytes: [UInt8]) throws(WireError) {
    self.bytes = bytes
    places.reserveCapacity(4)
    var reader = WireReader(message)
    while let next = try reader.next() {
      put(Place(field: next.number, range: all.range(of: next.sent)))
      guard places.count <= Limit.registers else {
        throw .invalid("a group has very many fields")
      }
    }
  }

  /// The fields with their register values, in ascending order.
  package var values: [(field: FieldNumber, bytes: ArraySlice<UInt8>)] {
    places.map { ($0.field, bytes[$0.range]) }
  }

  /// The fields that differ from those of an earlier value.
  package func changed(from earlier: RecordFields) -> RecordFields {
    var changed = self
    changed.places.removeAll { place in
      bytes[place.range] == earlier.place(of: place.field).map { earlier.bytes[$0.range] } ?? []
    }
    return changed
  }

  /// The message of the kind that has these fields.
  package var message: [UInt8] {
    places.flatMap { bytes[$0.range] }
  }

  /// A register value that is encoded already.
  package subscript(register field: FieldNumber) -> [UInt8]? {
    get { place(of: field).map { Array(bytes[$0.range]) } }
    set {
      if place(of: field) != nil { remove(field) }
      guard let newValue else { return }
      bytes += newValue
      put(Place(field: field, range: bytes.count - newValue.count..<bytes.count))
    }
  }

  /// Removes a field, and whatever bytes belong to none: a field can be set any number of times.
  private mutating func remove(_ field: FieldNumber) {
    let rest = values.filter { $0.field != field }
    (bytes, places) = ([], [])
    for value in rest { self[register: value.field] = Array(value.bytes) }
  }

  /// Adds a place, or replaces that of the same field.
  private mutating func put(_ place: Place) {
    guard let index = places.firstIndex(where: { $0.field >= place.field }) else {
      places.append(place)
      return
    }
    if places[index].field == place.field {
      places[index] = place
    } else {
      places.insert(place, at: index)
    }
  }

  private func place(of field: FieldNumber) -> Place? { places.first { $0.field == field } }

  // MARK: - As bytes

  private mutating func set(_ field: FieldNumber, _ value: PresentField.Value?) {
    precondition(Self.isNumber(field), "\(field) is no number of a field")
    self[register: field] = value.map { encode(PresentField(number: field, value: $0)) } ?? []
  }

  /// Reads the last occurrence of the field in its register, while all bytes are borrowed; nil for
  /// an empty or malformed one, and for one of another type.
  private func last<Value>(
    _ field: FieldNumber, _ read: (_ field: WireField, _ all: Slice) throws(WireError) -> Value?
  ) -> Value? {
    guard let place = place(of: field) else { return nil }
    return bytes.withUnsafeBytes { all -> Value? in
      var reader = WireReader(Slice(rebasing: all[place.range]))
      var found: Value?
      do throws(WireError) {
        while let next = try reader.next() {
          if next.number == field { found = try read(next, all) }
        }
      } catch {
        return nil
      }
      return found
    }
  }
}

extension RecordFields: Hashable {
  /// Whether the same fields have the same values.
  public static func == (a: RecordFields, b: RecordFields) -> Bool {
    a.values.elementsEqual(b.values, by: ==)
  }

  /// Hashes fields and values.
  public func hash(into hasher: inout Hasher) {
    for value in values {
      hasher.combine(value.field)
      hasher.combine(value.bytes)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Where a part of these bytes is.
  fileprivate func range(of part: Slice) -> Range<Int> {
    guard let all = baseAddress, let start = part.baseAddress else { return 0..<0 }
    return start - all..<start - all + part.count
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
