// SPDX-License-Identifier: Apache-2.0
// What records, fields and devices are called.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation

/// Names for what is stored.
enum RecordWords {
  /// The kind in JSON: `session`, or `kind_17` where this build has no name for it.
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

  /// What people call a record of the kind.
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

  /// What people call one record, by which they know it: `a fast, since today 8:00`. It may be
  /// deleted: only here can a person still tell which one it was.
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

  /// The field in JSON: `span`, or `field_17`.
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
      UUID(bytes: key.id)?.uuidString.lowercased() ?? ShortID.hex(key.id)
    case .preference, .entitlement:
      String(validating: key.id, as: UTF8.self).map(\.escapedForTerminal) ?? ShortID.hex(key.id)
    default: ShortID.hex(key.id)
    }
  }
}

/// Who is who among the account's devices.
struct DeviceNames {
  /// This device; `ReplicaID.none` before it was paired.
  let own: ReplicaID
  /// As of the last time the server was asked.
  let names: [ReplicaID: String]

  /// `phone`, `this device`, or `device 0123456789abcdef`.
  func words(_ replica: ReplicaID) -> String {
    if let name = names[replica] {
      return replica == own ? "\(name.escapedForTerminal) (this device)" : name.escapedForTerminal
    }
    return replica == own ? "this device" : "device \(ShortID.hex(replica.rawValue))"
  }
}
