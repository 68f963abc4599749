// SPDX-License-Identifier: Apache-2.0
// What people and programs call the records of some kinds.

import AtrestReplication

/// Words for some kinds of records. A program has a list of vocabularies, so that its shared
/// commands can name what it writes itself and what other programs write into the same account.
///
/// Records may have been written by a newer version, or be deleted: what a function cannot say of
/// one, it leaves to the library by returning nil.
public protocol KindVocabulary: Sendable {
  /// The kinds that it has words for.
  var kinds: Set<RecordKind> { get }

  /// A kind's name for programs, such as `session`: lower-case letters, digits and underscores.
  /// Never changes.
  ///
  /// - Parameter kind: One of `kinds`.
  func name(of kind: RecordKind) -> String

  /// A kind's noun with its article, such as `a fast`.
  ///
  /// - Parameter kind: One of `kinds`.
  func noun(for kind: RecordKind) -> String

  /// The noun for several records of a kind, such as `fasts`. By default the singular without its
  /// article, and an s.
  ///
  /// - Parameter kind: One of `kinds`.
  func nouns(for kind: RecordKind) -> String

  /// A field's name for programs, such as `target`. Never changes. nil for a field of a newer
  /// version.
  func name(of field: FieldNumber, in kind: RecordKind) -> String?

  /// A record's id as people see and type it. By default a UUID in lower case; nil if it is none,
  /// and then it is shown as hexadecimal digits.
  func id(of key: RecordKey) -> String?

  /// What tells a record apart from others of its kind, such as `since today 8:00`: it follows the
  /// noun and a comma. The record may be deleted.
  func detail(of record: Record, _ context: CommandContext) -> String?

  /// A field's value for people, such as `target 16h`. Text of the record in it is escaped.
  func text(of register: Register, in kind: RecordKind, _ context: CommandContext) -> String?

  /// A field's value for programs, and for who opens an export: something that is encoded as a JSON
  /// object.
  func object(of register: Register, in kind: RecordKind) -> (any Encodable)?
}

extension KindVocabulary {
  /// The singular without its article, and an s.
  public func nouns(for kind: RecordKind) -> String {
    "\(noun(for: kind).drop { $0 != " " }.dropFirst())s"
  }

  /// The UUID in lower case; nil if the id is none.
  public func id(of key: RecordKey) -> String? {
    RecordUUID(bytes: key.id)?.uuidString.lowercased()
  }
}
