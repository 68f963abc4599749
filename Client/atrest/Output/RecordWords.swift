// SPDX-License-Identifier: Apache-2.0
// Names of kinds, fields and devices.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// Names of kinds and fields.
enum RecordWords {
  /// The kind's name in JSON: `session`, or `kind_17` for an unknown kind.
  static func name(of kind: RecordKind) -> String {
    switch kind {
    case .session: "session"
    case .water: "water"
    case .preference: "preference"
    case .entitlement: "entitlement"
    case .conflict: "conflict"
    default: "kind_\(kind.rawValue)"
    }
  }

  /// The kind's noun for people.
  static func noun(_ kind: RecordKind) -> String {
    switch kind {
    case .session: "a fast"
    case .water: "a water entry"
    case .preference: "a setting"
    case .entitlement: "a purchase"
    case .conflict: "a journal entry"
    default: "a record of a newer version"
    }
  }

  /// A record's noun with a distinguishing detail: `a fast, since today 8:00`. Also for deleted
  /// records, which only this tells apart.
  static func noun(_ key: RecordKey, _ record: Record?, _ context: CommandContext) -> String {
    let noun = noun(key.kind)
    guard let record else { return noun }
    switch key.kind {
    case .session:
      return (try? Session(record)).map { "\(noun), \(SessionWords.span($0.span, context))" }
        ?? noun
    case .water:
      return (try? WaterEntry(record)).map { "\(noun), \(WaterWords.intake($0.intake, context))" }
        ?? noun
    case .preference: return "\(noun), \(id(of: key))"
    default: return noun
    }
  }

  /// The field's name in JSON: `span`, or `field_17` for an unknown one.
  static func name(of field: FieldNumber, in kind: RecordKind) -> String {
    switch (kind, field) {
    case (_, Register.deletedField): "deleted"
    // Programs know it by the name that it had first.
    case (_, Register.pruneFloorField): "forgotten"
    case (.session, SessionField.span): "span"
    case (.session, SessionField.target): "target"
    case (.water, WaterField.intake): "intake"
    case (.preference, PreferenceField.value): "value"
    default: "field_\(field)"
    }
  }

  /// The id as its kind writes it: a UUID, a setting's key, or hexadecimal digits.
  static func id(of key: RecordKey) -> String {
    switch key.kind {
    case .session, .water:
      RecordUUID(bytes: key.id)?.uuidString.lowercased() ?? ShortID.hex(key.id)
    case .preference, .entitlement:
      String(validating: key.id, as: UTF8.self).map(\.escapedForTerminal) ?? ShortID.hex(key.id)
    default: ShortID.hex(key.id)
    }
  }
}

/// The names of the account's devices.
struct DeviceNames {
  /// This device; `ReplicaID.none` before pairing.
  let own: ReplicaID
  /// The names as of the last `devices()` call.
  let names: [ReplicaID: String]

  /// A device's name: `phone`, `this device`, or `device 0123456789abcdef`.
  func words(_ replica: ReplicaID) -> String {
    if let name = names[replica] {
      return replica == own ? "\(name.escapedForTerminal) (this device)" : name.escapedForTerminal
    }
    return replica == own ? "this device" : "device \(ShortID.hex(replica.rawValue))"
  }
}
