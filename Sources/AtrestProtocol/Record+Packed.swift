// SPDX-License-Identifier: Apache-2.0
// Packs records and offers: the form in which they are sent, stored and compared.

import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension Record: PackedMessage {
  /// Unpacks a record and checks its structure: the rules of records.proto for every kind.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__record__unpack) { message throws(WireError) in
      try Record(message)
    }
  }

  /// The canonical encoding: two records are equal if and only if their encodings are.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__record__init, expectedBytes: 1024) { message, arena in
      message = arena.record(self).pointee
    }
  }

  init(_ message: Atrest__Sync__V1__Record) throws(WireError) {
    let kind = RecordKind(rawValue: UInt32(message.kind.rawValue))
    try Record.checkBounds(
      kind: kind, idBytes: message.id.len, registers: message.n_registers)
    var registers: [Register] = []
    registers.reserveCapacity(message.n_registers)
    for register in elements(message.registers, message.n_registers) {
      registers.append(try Register(register, of: kind))
    }
    try self.init(checked: RecordKey(kind: kind, id: [UInt8](message.id)), registers)
  }
}

extension Offer: PackedMessage {
  /// Unpacks an offer and its record.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__offer__unpack) { message throws(WireError) in
      guard let record = message.record else { throw Offer.empty }
      try Offer.checkBounds(written: message.n_written_fields)
      return Offer(
        record: try Record(record.pointee),
        written: Array(
          UnsafeBufferPointer(
            start: message.written_fields,
            count: message.written_fields == nil ? 0 : message.n_written_fields)),
        isRestored: message.restored != 0)
    }
  }

  /// The protobuf encoding, as stored in outboxes and sent in requests.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__offer__init, expectedBytes: 1024) { message, arena in
      message.record = arena.record(record)
      message.n_written_fields = written.count
      message.written_fields = arena.array(written) { $0 }
      message.restored = isRestored ? 1 : 0
    }
  }
}

extension Register {
  /// - Parameter kind: The record's kind; nil for a register in a journal entry.
  init(_ message: Atrest__Sync__V1__Register, of kind: RecordKind?) throws(WireError) {
    try Register.checkBounds(
      field: message.field, valueBytes: message.value.len, heldStamps: message.n_held_stamps,
      of: kind)
    guard let stamp = message.stamp else { throw Register.unstamped }
    self.init(
      field: message.field, stamp: try Stamp(stamp.pointee), value: [UInt8](message.value))
    if let former = message.replaced { replaced = try Stamp(former.pointee) }
    for stamp in elements(message.held_stamps, message.n_held_stamps) {
      held.append(try Stamp(stamp))
    }
    try checkHeld()
  }
}

extension Stamp {
  fileprivate init(_ message: Atrest__Sync__V1__Stamp) throws(WireError) {
    try self.init(clock: message.clock, replica: message.replica)
  }
}

extension Arena {
  func record(_ record: Record) -> UnsafeMutablePointer<Atrest__Sync__V1__Record> {
    let message = make(atrest__sync__v1__record__init)
    message.pointee.kind = Atrest__Sync__V1__Kind(rawValue: .init(record.key.kind.rawValue))
    message.pointee.id = bytes(record.key.id)
    message.pointee.n_registers = record.registers.count
    message.pointee.registers = array(record.registers) { self.register($0) }
    return message
  }

  func register(_ register: Register) -> UnsafeMutablePointer<Atrest__Sync__V1__Register>? {
    let message = make(atrest__sync__v1__register__init)
    message.pointee.field = register.field
    message.pointee.stamp = stamp(register.stamp)
    message.pointee.replaced = register.replaced.map { stamp($0) }
    message.pointee.value = bytes(register.value)
    message.pointee.n_held_stamps = register.held.count
    message.pointee.held_stamps = array(register.held) { stamp($0) }
    return message
  }

  func stamp(_ stamp: Stamp) -> UnsafeMutablePointer<Atrest__Sync__V1__Stamp> {
    let message = make(atrest__sync__v1__stamp__init)
    message.pointee.clock = stamp.time.rawValue
    message.pointee.replica = stamp.replica.rawValue
    return message
  }
}
