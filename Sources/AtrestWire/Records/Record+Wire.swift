// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes records: the form in which they are sent, stored and compared.

import AtrestReplication

extension Record: WireMessage, FieldWriting {
  /// Decodes a record and checks its structure: the rules of records.proto for every kind.
  ///
  /// The registers' values stay as they are, so a record keeps the fields that this version does
  /// not know. Fields beside the contract's, of the record itself, are dropped.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var parts = RecordParts()
      try parts.read(&fields)
      return try parts.record()
    }
  }

  /// The canonical encoding: two records are equal if and only if their encodings are.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.enumeration(Fields.Record.kind, key.kind.rawValue)
    sink.bytes(Fields.Record.id, key.id)
    sink.messages(Fields.Record.registers, registers)
  }
}

extension Register: FieldWriting {
  func write(to sink: inout some FieldSink) {
    sink.number(Fields.Register.field, field)
    sink.message(Fields.Register.stamp, stamp)
    sink.message(Fields.Register.replaced, replaced)
    sink.bytes(Fields.Register.value, value)
    sink.messages(Fields.Register.heldStamps, held)
  }
}

extension Stamp: FieldWriting {
  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.Stamp.clock, time.rawValue)
    sink.fixed64(Fields.Stamp.replica, replica.rawValue)
  }
}

/// A record's fields as they were sent, neither copied nor checked.
struct RecordParts {
  private var kind: UInt32 = 0
  private var id = Slice.none
  private var registers: [RegisterParts] = []

  init() {}

  /// Decodes an embedded record.
  ///
  /// - Parameter earlier: What an earlier occurrence of the same field held.
  init(_ bytes: Slice, after earlier: RecordParts?) throws(WireError) {
    registers = earlier?.registers ?? []
    var fields = WireReader(bytes)
    try read(&fields)
    if let earlier, id.isEmpty { id = earlier.id }
  }

  mutating func read(_ fields: inout WireReader) throws(WireError) {
    while let field = try fields.next() {
      switch Fields.Record(rawValue: field.number) {
      case .kind: kind = try field.uint32()
      case .id: id = try field.content()
      case .registers:
        // Before the bound is checked, so that no list outgrows it.
        guard registers.count <= Limit.registers else { throw .tooLong }
        if registers.isEmpty { registers.reserveCapacity(8) }
        registers.append(try RegisterParts(field.content()))
      case nil: break
      }
    }
  }

  func record() throws(WireError) -> Record {
    let kind = RecordKind(rawValue: kind)
    try Record.checkBounds(kind: kind, idBytes: id.count, registers: registers.count)
    var checked: [Register] = []
    checked.reserveCapacity(registers.count)
    for register in registers { checked.append(try register.register(of: kind)) }
    return try Record(checked: RecordKey(kind: kind, id: [UInt8](id)), checked)
  }
}

/// A register's fields as they were sent, neither copied nor checked.
struct RegisterParts {
  private var field: FieldNumber = 0
  private var stamp: StampParts?
  private var replaced: StampParts?
  private var value = Slice.none
  private var held: [StampParts] = []

  /// Decodes an embedded register.
  ///
  /// - Parameter earlier: What an earlier occurrence of the same field held.
  init(_ bytes: Slice, after earlier: RegisterParts? = nil) throws(WireError) {
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Register(rawValue: field.number) {
      case .field: self.field = try field.uint32()
      case .stamp: stamp = try StampParts(field.content())
      case .replaced: replaced = try StampParts(field.content())
      case .value: value = try field.content()
      case .heldStamps:
        // Before the bound is checked, so that no list outgrows it.
        guard held.count <= Register.heldLimit else { throw .tooLong }
        held.append(try StampParts(field.content()))
      case nil: break
      }
    }
    if let earlier { self = merged(after: earlier) }
  }

  /// The register with what it lacks taken from an earlier occurrence of the same field.
  func merged(after earlier: RegisterParts) -> RegisterParts {
    var merged = self
    if stamp == nil { merged.stamp = earlier.stamp }
    if replaced == nil { merged.replaced = earlier.replaced }
    if value.isEmpty { merged.value = earlier.value }
    // More than may be is too much, however much more it is.
    merged.held = Array((earlier.held + held).prefix(Register.heldLimit + 1))
    return merged
  }

  /// - Parameter kind: The record's kind; nil for a register in a journal entry.
  func register(of kind: RecordKind?) throws(WireError) -> Register {
    try Register.checkBounds(
      field: field, valueBytes: value.count, heldStamps: held.count, of: kind)
    guard let stamp else { throw Register.unstamped }
    var register = Register(field: field, stamp: try stamp.stamp(), value: [UInt8](value))
    if let replaced { register.replaced = try replaced.stamp() }
    for stamp in held { register.held.append(try stamp.stamp()) }
    try register.checkHeld()
    return register
  }
}

/// A stamp's fields as they were sent. They are numbers, so a later occurrence replaces an earlier
/// one.
private struct StampParts {
  private var clock: UInt64 = 0
  private var replica: UInt64 = 0

  init(_ bytes: Slice) throws(WireError) {
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Stamp(rawValue: field.number) {
      case .clock: clock = try field.fixed64()
      case .replica: replica = try field.fixed64()
      case nil: break
      }
    }
  }

  func stamp() throws(WireError) -> Stamp { try Stamp(clock: clock, replica: replica) }
}
