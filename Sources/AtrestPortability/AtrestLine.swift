// SPDX-License-Identifier: Apache-2.0
// The lines of the native format: a header, one line per record, and a seal.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// The first line.
struct AtrestHeader: Codable {
  /// The identifier of the format.
  static let name = "atrest-sync"
  /// The version of a file without words.
  static let oldest = 1
  /// The version of a file that has records in words. Their kinds have names that version 1 does
  /// not know.
  static let withWords = 2
  /// The newest version that is read.
  static let current = withWords

  var format: String
  var version: Int
  var madeAt: String
  /// The version of the program that wrote it; informational.
  var program: String?
  /// The number of records by kind; informational.
  var records: [String: Int]?

  enum CodingKeys: String, CodingKey {
    case format, version, program, records
    case madeAt = "made_at"
  }

  /// Parses a file's header; nil if the file is not in this format.
  init?(ofFile bytes: [UInt8]) {
    let line = bytes.prefix(while: { $0 != UInt8(ascii: "\n") })
    guard line.count <= Portability.Limits.lineBytes,
      let header = try? JSONDecoder().decode(AtrestHeader.self, from: Data(line)),
      header.format == Self.name
    else { return nil }
    self = header
  }

  init(version: Int, madeAt: WallTime, program: String, records: [String: Int]) {
    format = Self.name
    self.version = version
    self.madeAt = TimeText.iso(madeAt)
    self.program = program
    self.records = records
  }
}

/// The last line: the count and the checksum over all bytes before it.
struct AtrestSeal: Codable {
  /// The number of records.
  var count: Int
  /// Lower-case hexadecimal digits.
  var sha256: String
}

/// A record's line. Decoded content has named members; everything else is kept in Base64.
struct AtrestLine: Codable {
  struct Span: Codable {
    var start: String
    var end: String?
    var outcome: String
  }

  struct Intake: Codable {
    var at: String
    var millilitres: Int
  }

  /// Values in words. They say nothing that the stored fields do not, so nobody reads them back.
  struct Words: Codable {
    private let parts: [String: any Encodable]

    init(_ parts: [String: any Encodable]) {
      self.parts = parts
    }

    init(from decoder: any Decoder) {
      parts = [:]
    }

    func encode(to encoder: any Encoder) throws {
      try parts.mapValues(Value.init).encode(to: encoder)
    }

    private struct Value: Encodable {
      let parts: any Encodable

      func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }
    }
  }

  /// `session`, `water`, `preference`, `entitlement`, `conflict`, `kind_17`, or an app's name for
  /// a kind of its own.
  var kind: String
  /// The number of a kind that has an app's name. It, and not the name, is what is read.
  var kindNumber: UInt32?
  /// A UUID, or text. For people only where `kindNumber` is.
  var id: String?
  /// An id that is neither, in Base64.
  var idBytes: String?
  var span: Span?
  var targetMinutes: Int?
  var intake: Intake?
  var value: String?
  var signedTransaction: String?
  /// The fields of a kind that has an app's name, in words.
  var fields: Words?
  /// Undecoded fields by number, their encoded values in Base64.
  var raw: [String: String]?
  /// The fields' stamps by name: `deleted`, a name as above, or a number.
  var stamps: [String: String]?

  enum CodingKeys: String, CodingKey {
    case kind, id, span, intake, value, fields, raw, stamps
    case kindNumber = "kind_number"
    case idBytes = "id_base64"
    case targetMinutes = "target_minutes"
    case signedTransaction = "signed_transaction"
  }

  init(kind: RecordKind) {
    self.kind = KindName.text(kind)
  }

  /// The kind of the record; nil if there is no such kind.
  var recordKind: RecordKind? {
    guard let kindNumber else { return KindName.kind(kind) }
    // Only what has no name of its own can have an app's.
    return KindName.isFree(kind) ? KindName.kind("kind_\(kindNumber)") : nil
  }

  /// The line in an app's words; nil if the kind's name is taken.
  func named(_ words: RecordInWords) -> AtrestLine? {
    guard let recordKind, KindName.isFree(words.kind) else { return nil }
    var line = self
    (line.kind, line.kindNumber) = (words.kind, recordKind.rawValue)
    (line.id, line.fields) = (words.id, Words(words.fields))
    return line
  }
}

enum KindName {
  private static let names: [(RecordKind, String)] = [
    (.session, "session"), (.water, "water"), (.preference, "preference"),
    (.entitlement, "entitlement"), (.conflict, "conflict"),
  ]

  static func text(_ kind: RecordKind) -> String {
    names.first { $0.0 == kind }?.1 ?? "kind_\(kind.rawValue)"
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
