// SPDX-License-Identifier: Apache-2.0
// Maps a scenario's record names to keys.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// The names and keys of records.
struct RecordBook {
  private(set) var names: [RecordKey: String] = [:]
  private(set) var keys: [String: RecordKey] = [:]

  /// The id of a fast or drink, a deterministic function of its name.
  static func id(_ name: String) -> RecordUUID {
    var random = SplitMix(
      seed: name.utf8.reduce(0xcbf2_9ce4_8422_2325) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      })
    var bytes: [UInt8] = []
    for _ in 0..<2 {
      withUnsafeBytes(of: random.next().bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let id = RecordUUID(bytes: bytes) else {
      preconditionFailure("a UUID has sixteen bytes")
    }
    return id
  }

  /// Registers a record's name.
  mutating func add(_ name: String, _ key: RecordKey) {
    names[key] = name
    keys[name] = key
  }

  /// The key for a name: a fast or drink, else a setting.
  func key(_ name: String) -> RecordKey {
    keys[name] ?? Self.setting(name)
  }

  static func setting(_ name: String) -> RecordKey {
    RecordKey(kind: .preference, id: Array(name.utf8))
  }

  func name(_ key: RecordKey) -> String {
    if let name = names[key] { return name }
    if key.kind == .preference, let text = String(validating: key.id, as: UTF8.self) {
      return Part.shortened(text)
    }
    return "record \(Hexadecimal.encoded(key.id.prefix(4)))"
  }
}

extension Scenario.FieldName {
  /// The name of a kind's field.
  init?(_ field: FieldNumber, of kind: RecordKind) {
    switch (kind, field) {
    case (_, Register.deletedField): self = .deleted
    case (.session, SessionField.span): self = .times
    case (.session, SessionField.target): self = .target
    case (.water, WaterField.intake): self = .amount
    case (.preference, PreferenceField.value): self = .value
    default: return nil
    }
  }
}
