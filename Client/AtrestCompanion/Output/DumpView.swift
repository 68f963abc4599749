// SPDX-License-Identifier: Apache-2.0
// Output of raw records for tests and bug reports.

import AtrestCommandLine
import AtrestReplication
import AtrestWire
import Foundation

/// A record with the stamps of its registers. Values reveal when a person fasted and drank, so they
/// are included only on request.
struct RecordDump: Encodable, Equatable {
  struct StampDump: Encodable, Equatable {
    var time: WallTime
    var counter: Int
    var replica: String

    init(_ stamp: Stamp) {
      time = stamp.time.wallTime
      counter = Int(stamp.time.rawValue & 0xFFFF)
      replica = ShortID.hex(stamp.replica.rawValue)
    }

    var text: String {
      "\(time.milliseconds).\(counter)@\(replica)"
    }
  }

  /// A register of the record.
  struct RegisterDump: Encodable, Equatable {
    var field: Int
    var name: String
    var stamp: StampDump
    var replaced: StampDump?
    /// What a deletion's writer held; absent for any other write.
    var heldStamps: [StampDump]?
    var valueBytes: Int
    var value: String?
  }

  var kind: Int
  var name: String
  var id: String
  var deleted: Bool
  var registers: [RegisterDump]

  init(_ record: Record, _ words: RecordWords, withValues: Bool) {
    kind = Int(record.key.kind.rawValue)
    name = words.name(of: record.key.kind)
    id = ShortID.hex(record.key.id)
    deleted = record.isDeleted
    registers = record.registers.map { register in
      RegisterDump(
        field: Int(register.field), name: words.name(of: register.field, in: record.key.kind),
        stamp: StampDump(register.stamp), replaced: register.replaced.map(StampDump.init),
        heldStamps: register.held.isEmpty ? nil : register.held.map(StampDump.init),
        valueBytes: register.value.count, value: withValues ? ShortID.hex(register.value) : nil)
    }
  }

  /// One line such as `session 3f2a… span=1763735400000.0@0123456789abcdef`.
  var text: String {
    let fields = registers.map { register in
      var text = "\(register.name)=\(register.stamp.text)"
      if let replaced = register.replaced { text += " over \(replaced.text)" }
      if let held = register.heldStamps {
        text += " holding " + held.map { $0.text }.joined(separator: ",")
      }
      if let value = register.value { text += " [\(value)]" }
      return text
    }
    return ([name, id] + (deleted ? ["deleted"] : []) + fields).joined(separator: " ")
  }
}

/// The digest, which ends a dump and is the answer of `replica digest`.
struct DigestRow: Encodable, Equatable {
  var digest: String
  var records: Int
}
