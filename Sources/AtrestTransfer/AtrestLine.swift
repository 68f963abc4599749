// SPDX-License-Identifier: Apache-2.0
// The lines of the native format: a header, one line per record, and a seal.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// The first line.
struct AtrestHeader {
  /// The identifier of the format.
  static let name = "atrest-sync"
  /// The version of a file without words.
  static let oldest = 1
  /// The version of a file that has records in words. Their kinds have names that version 1 does
  /// not know.
  static let withWords = 2
  /// The newest version that is read.
  static let current = withWords

  let version: Int
  let madeAt: String

  /// Parses a file's header; nil if the file is not in this format.
  init?(ofFile bytes: [UInt8]) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard line.count <= Portability.Limits.lineBytes,
      // One count for each kind, and an account may hold kinds by the thousand.
      let members = StrictJSON(Array(line), valueLimit: Portability.Limits.lineBytes)?.members,
      members["format"]?.text == Self.name,
      let version = members["version"]?.whole, let madeAt = members["made_at"]?.text
    else { return nil }
    (self.version, self.madeAt) = (version, madeAt)
  }

  /// The line.
  ///
  /// - Parameters:
  ///   - program: The version of the program that writes it; informational.
  ///   - records: The number of records by kind; informational.
  static func encoded(
    version: Int, madeAt: WallTime, program: String, records: [String: Int]
  ) -> [UInt8] {
    var counts = JSONObject()
    for (kind, count) in records.sorted(by: { $0.key < $1.key }) { counts.add(kind, count) }
    var line = JSONObject()
    line.add("format", name)
    line.add("made_at", TimeText.iso(madeAt))
    line.add("program", program)
    line.add("records", counts)
    line.add("version", version)
    return line.utf8
  }
}

/// The last line: the count and the checksum over all bytes before it.
struct AtrestSeal {
  /// The number of records.
  let count: Int
  /// Lower-case hexadecimal digits.
  let sha256: String

  /// Seals the lines before it.
  init(count: Int, over bytes: [UInt8]) {
    self.count = count
    sha256 = Hexadecimal.encoded(PortableSHA256.hash(bytes))
  }

  /// Parses the line; nil if it is none.
  init?(_ bytes: [UInt8]) {
    guard let members = StrictJSON(bytes)?.members, let count = members["count"]?.whole,
      let sha256 = members["sha256"]?.text
    else { return nil }
    (self.count, self.sha256) = (count, sha256)
  }

  /// The line.
  var encoded: [UInt8] {
    var line = JSONObject()
    line.add("count", count)
    line.add("sha256", sha256)
    return line.utf8
  }
}

/// A record's line. Decoded content has named members; everything else is kept in Base64.
struct AtrestLine {
  struct Span {
    var start: String
    var end: String?
    var outcome: String
  }

  struct Intake {
    var at: String
    var millilitres: Int
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
  /// The fields of a kind that has an app's name, in words, as a JSON object. They say nothing that
  /// the stored fields do not, so nobody reads them back.
  var fields: [UInt8]?
  /// Undecoded fields by number, their encoded values in Base64.
  var raw: [String: String]?
  /// The fields' stamps by name: `deleted`, a name as above, or a number.
  var stamps: [String: String]?

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
  func named(_ words: EncodedWords) -> AtrestLine? {
    guard let recordKind, KindName.isFree(words.kind) else { return nil }
    var line = self
    (line.kind, line.kindNumber) = (words.kind, recordKind.rawValue)
    (line.id, line.fields) = (words.id, words.fields)
    return line
  }
}
