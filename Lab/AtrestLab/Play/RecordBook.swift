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
  private var taken: Set<String> = []

  /// The id of a record, a deterministic function of its name.
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
  ///
  /// - Parameters:
  ///   - name: The scenario's name; nil for a record that a scenario cannot name.
  ///   - shown: Its name in reports, if that is another one.
  mutating func add(_ name: String?, _ key: RecordKey, shown: String? = nil) {
    names[key] = shown ?? name
    if let name { keys[name] = key }
  }

  /// The first of a row of names that was not given yet.
  mutating func numbered(_ name: (Int) -> String) -> String {
    var number = 1
    while !taken.insert(name(number)).inserted { number += 1 }
    return name(number)
  }

  /// The key for a name that the scenario gave, else a setting.
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
  /// The name of a field of fasts, water and settings, and of any record's deletion.
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
