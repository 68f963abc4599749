// SPDX-License-Identifier: Apache-2.0
// What a program calls kinds, fields, records and values, by its vocabularies.

import AtrestClient
import AtrestCommandLine
import AtrestPortability
import AtrestReplication
import AtrestWire

/// The words of all vocabularies of a program, and those for what no vocabulary knows.
public struct RecordWords: Sendable {
  private let vocabularies: [RecordKind: any KindVocabulary]

  /// - Parameter vocabularies: The first one that has a kind names its records.
  public init(_ vocabularies: [any KindVocabulary]) {
    let pairs = vocabularies.flatMap { vocabulary in vocabulary.kinds.map { ($0, vocabulary) } }
    self.vocabularies = Dictionary(pairs) { first, _ in first }
  }

  /// The kind's name for programs: `session`, or `kind_17` for an unknown kind.
  public func name(of kind: RecordKind) -> String {
    vocabularies[kind]?.name(of: kind) ?? "kind_\(kind.rawValue)"
  }

  /// The kind's noun for people.
  public func noun(_ kind: RecordKind) -> String {
    vocabularies[kind]?.noun(for: kind)
      ?? Language.text("a record of a newer version", de: "ein Eintrag einer neueren Version")
  }

  /// A number of records of a kind: `1 fast`, `12 fasts`.
  package func count(_ count: Int, _ kind: RecordKind) -> String {
    guard count != 1 else {
      let noun = noun(kind)
      // Without its article.
      return "1 \(noun.drop { $0 != " " }.dropFirst())"
    }
    return
      "\(count) \(vocabularies[kind]?.nouns(for: kind) ?? Language.text("records of a newer version", de: "Einträge einer neueren Version"))"
  }

  /// A record for an export; nil for one that no vocabulary knows.
  package func inWords(_ record: Record) -> RecordInWords? {
    let kind = record.key.kind
    guard let vocabulary = vocabularies[kind] else { return nil }
    var fields: [String: any Encodable] = [:]
    for register in record.registers
    where RecordFields.isUsable(register.field) && !register.value.isEmpty {
      if let name = vocabulary.name(of: register.field, in: kind),
        let value = vocabulary.object(of: register, in: kind)
      {
        fields[name] = value
      }
    }
    return RecordInWords(
      kind: vocabulary.name(of: kind), id: id(of: record.key), fields: fields)
  }

  /// A record's noun with a distinguishing detail: `a fast, since today 8:00`. Also for deleted
  /// records, which only this tells apart.
  public func noun(_ key: RecordKey, _ record: Record?, _ context: CommandContext) -> String {
    let noun = noun(key.kind)
    return record.flatMap { vocabularies[key.kind]?.detail(of: $0, context) }
      .map { "\(noun), \($0)" } ?? noun
  }

  /// The field's name for programs: `span`, or `field_17` for an unknown one.
  public func name(of field: FieldNumber, in kind: RecordKind) -> String {
    switch field {
    case Register.deletedField: "deleted"
    // Programs know it by the name that it had first.
    case Register.pruneFloorField: "forgotten"
    default: vocabularies[kind]?.name(of: field, in: kind) ?? "field_\(field)"
    }
  }

  /// The id as its kind writes it: a UUID, a setting's key, or hexadecimal digits.
  public func id(of key: RecordKey) -> String {
    vocabularies[key.kind]?.id(of: key) ?? ShortID.hex(key.id)
  }

  /// The value of a field for people.
  public func text(
    of register: Register, in kind: RecordKind, _ context: CommandContext
  ) -> String {
    if case .deleted(let flag) = FieldValue(register, of: kind) {
      return flag
        ? Language.text("deleted", de: "gelöscht")
        : Language.text("not deleted", de: "nicht gelöscht")
    }
    return vocabularies[kind]?.text(of: register, in: kind, context)
      ?? Language.text(
        "a value that this version cannot read", de: "ein Wert, den diese Version nicht lesen kann")
  }

  /// The value of a field for programs; nil if no vocabulary can decode it.
  func value(of register: Register, in kind: RecordKind) -> ValueRow? {
    if case .deleted(let flag) = FieldValue(register, of: kind) {
      return ValueRow(DeletedRow(deleted: flag))
    }
    return vocabularies[kind]?.object(of: register, in: kind).map(ValueRow.init)
  }
}

/// A value by its parts, for `--json`; an object without any if it cannot be decoded.
struct ValueRow: Encodable {
  private let parts: any Encodable

  init(_ parts: any Encodable) {
    self.parts = parts
  }

  /// A value that this version cannot read.
  static var unknown: ValueRow { ValueRow([String: String]()) }

  func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }
}

/// Whether a record is deleted, for `--json`.
private struct DeletedRow: Encodable {
  var deleted: Bool
}
