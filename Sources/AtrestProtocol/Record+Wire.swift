// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes records: the form in which they are sent, stored and compared.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

extension Record: WireMessage {
  /// Decodes a record and checks its structure: the rules of records.proto for every kind.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__record__unpack) { message throws(WireError) in
      try Record(message)
    }
  }

  /// The canonical encoding: two records are equal if and only if their encodings are.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__record__init, expectedBytes: 1024) { message, arena in
      message = arena.record(self).pointee
    }
  }

  init(_ message: Atrest__Sync__V1__Record) throws(WireError) {
    let kind = RecordKind(rawValue: UInt32(message.kind.rawValue))
    guard kind.rawValue > 0 else { throw .invalid("a record has no kind") }
    let key = RecordKey(kind: kind, id: [UInt8](message.id))
    let idLimit = kind == .conflict ? Limits.idBytes + 32 : Limits.idBytes
    guard (1...idLimit).contains(key.id.count) else {
      throw .invalid("a record's id is empty or too long")
    }
    guard (1...Limits.registers).contains(message.n_registers) else {
      throw .invalid("a record has no registers or too many")
    }
    var registers: [Register] = []
    registers.reserveCapacity(message.n_registers)
    for register in elements(message.registers, message.n_registers) {
      registers.append(try Register(register, limit: Limits.valueBytes(of: kind)))
    }
    guard let record = Record(key: key, registers: registers) else {
      throw .invalid("a record's registers are not in order, or older than what it forgot")
    }
    self = record
  }
}

extension Register {
  init(
    _ message: Atrest__Sync__V1__Register, limit: Int = Record.Limits.valueBytes
  ) throws(WireError) {
    guard (1...536_870_911).contains(message.field) else {
      throw .invalid("a register has no field number")
    }
    guard let stamp = message.stamp else { throw .invalid("a register has no stamp") }
    guard message.value.len <= limit else {
      throw .tooLong
    }
    self.init(
      field: message.field, stamp: try Stamp(stamp.pointee),
      replaced: try message.replaced.map { replaced throws(WireError) in try Stamp(replaced.pointee)
      },
      value: [UInt8](message.value))
  }
}

extension Stamp {
  init(_ message: Atrest__Sync__V1__Stamp) throws(WireError) {
    let time = HybridTime(rawValue: message.clock)
    guard time <= .latest else { throw .invalid("a stamp lies beyond the year 6000") }
    self.init(time: time, replica: ReplicaID(rawValue: message.replica))
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
    return message
  }

  func stamp(_ stamp: Stamp) -> UnsafeMutablePointer<Atrest__Sync__V1__Stamp> {
    let message = make(atrest__sync__v1__stamp__init)
    message.pointee.clock = stamp.time.rawValue
    message.pointee.replica = stamp.replica.rawValue
    return message
  }
}
