// SPDX-License-Identifier: Apache-2.0
// The names in lines of the native format: of kinds, fields, stamps and outcomes.

import AtrestDomain
import AtrestReplication
import AtrestWire

enum KindName {
  private static let names: [(RecordKind, String)] = [
    (.session, "session"), (.water, "water"), (.preference, "preference"),
    (.entitlement, "entitlement"), (.conflict, "conflict"),
  ]

  static func text(_ kind: RecordKind) -> String {
    names.first(where: { $0.0 == kind })?.1 ?? "kind_\(kind.rawValue)"
  }

  /// Whether the kind has a name of its own here.
  static func isKnown(_ kind: RecordKind) -> Bool { names.contains { $0.0 == kind } }

  /// Whether an app can call a kind of its own so.
  static func isFree(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("kind_") && !names.contains { $0.1 == name }
  }

  /// The kind of a name; nil if no kind has it.
  static func kind(_ text: String) -> RecordKind? {
    if let known = names.first(where: { $0.1 == text }) { return known.0 }
    guard text.hasPrefix("kind_"), let number = UInt32(text.dropFirst(5)), number > 0,
      "kind_\(number)" == text
    else { return nil }
    let kind = RecordKind(rawValue: number)
    return isKnown(kind) ? nil : kind
  }
}

enum FieldName {
  /// The name of a field's stamp.
  static func text(_ field: FieldNumber, of kind: RecordKind) -> String {
    switch (kind, field) {
    case (_, Register.deletedField): "deleted"
    case (.session, SessionField.span): "span"
    case (.session, SessionField.target): "target_minutes"
    case (.water, WaterField.intake): "intake"
    case (.preference, PreferenceField.value): "value"
    default: String(field)
    }
  }
}

/// Stamps as text, `1763735400000.0@0123456789abcdef`: milliseconds, counter and replica.
enum StampText {
  static func text(_ stamp: Stamp) -> String {
    "\(stamp.time.milliseconds).\(stamp.time.rawValue & 0xFFFF)@"
      + Hexadecimal.encoded(stamp.replica.rawValue)
  }

  /// Parses a stamp; nil if malformed.
  static func stamp(_ text: String) -> Stamp? {
    guard text.utf8.count <= 64, let at = text.firstIndex(of: "@"),
      let dot = text[..<at].firstIndex(of: "."),
      let milliseconds = UInt64(text[..<dot]),
      let counter = UInt16(text[text.index(after: dot)..<at]),
      let replica = UInt64(text[text.index(after: at)...], radix: 16),
      milliseconds <= HybridTime.latest.milliseconds
    else { return nil }
    return Stamp(
      time: HybridTime(rawValue: milliseconds << 16 | UInt64(counter)),
      replica: ReplicaID(rawValue: replica))
  }
}

extension Session.Outcome {
  /// The outcome's name in a file.
  var fileWord: String {
    switch self {
    case .active: "active"
    case .completed: "completed"
    case .abandoned: "abandoned"
    }
  }

  init?(fileWord: String) {
    guard let outcome = Self.allCases.first(where: { $0.fileWord == fileWord }) else { return nil }
    self = outcome
  }
}
