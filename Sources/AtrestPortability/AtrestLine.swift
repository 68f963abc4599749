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
  /// The version that is read and written.
  static let current = 1

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

  init(madeAt: WallTime, program: String, records: [String: Int]) {
    format = Self.name
    version = Self.current
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

  /// `session`, `water`, `preference`, `entitlement`, `conflict`, or `kind_17`.
  var kind: String
  /// A UUID, or text.
  var id: String?
  /// An id that is neither, in Base64.
  var idBytes: String?
  var span: Span?
  var targetMinutes: Int?
  var intake: Intake?
  var value: String?
  var signedTransaction: String?
  /// Undecoded fields by number, their encoded values in Base64.
  var raw: [String: String]?
  /// The fields' stamps by name: `deleted`, a name as above, or a number.
  var stamps: [String: String]?

  enum CodingKeys: String, CodingKey {
    case kind, id, span, intake, value, raw, stamps
    case idBytes = "id_base64"
    case targetMinutes = "target_minutes"
    case signedTransaction = "signed_transaction"
  }

  init(kind: RecordKind) {
    self.kind = KindName.text(kind)
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

  /// The kind of a name; nil if no kind has it.
  static func kind(_ text: String) -> RecordKind? {
    if let known = names.first(where: { $0.1 == text }) { return known.0 }
    guard text.hasPrefix("kind_"), let number = UInt32(text.dropFirst(5)), number > 0,
      "kind_\(number)" == text
    else { return nil }
    let kind = RecordKind(rawValue: number)
    return names.contains { $0.0 == kind } ? nil : kind
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
