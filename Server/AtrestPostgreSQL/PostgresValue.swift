// SPDX-License-Identifier: Apache-2.0
// The values that statements take and answer. Pure.

/// A value of a statement's parameter or of a row.
///
/// Values travel in PostgreSQL's binary format only: `bytea` keeps its size, where text doubles it,
/// and no value is parsed. Columns of a type without a case here are cast in the statement.
package enum PostgresValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// Rows also give `int2`, `int4` and `oid` as this.
  case int8(Int64)
  /// Without NUL, which PostgreSQL refuses. Rows also give `varchar` and `name` as this.
  case text(String)
  case bytea([UInt8])
  /// Arrays have one dimension; nil is an element that is null. They are what `unnest` takes.
  case int8Array([Int64?])
  case textArray([String?])
  case byteaArray([[UInt8]?])

  /// The number of an `int8`; nil for anything else.
  package var int8: Int64? { if case .int8(let number) = self { number } else { nil } }
  /// The text of a `text`; nil for anything else.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The bytes of a `bytea`; nil for anything else.
  package var bytea: [UInt8]? { if case .bytea(let bytes) = self { bytes } else { nil } }
  /// The value of a `bool`; nil for anything else.
  package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

  /// The parameter's type; nil for null, which takes the type of its place.
  var type: PostgresType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int8: .int8
    case .text: .text
    case .bytea: .bytea
    case .int8Array: .int8Array
    case .textArray: .textArray
    case .byteaArray: .byteaArray
    }
  }
}

/// A type of parameters, by its number in PostgreSQL's catalog, which is the same in all versions.
package enum PostgresType: UInt32, Sendable {
  case bool = 16
  case bytea = 17
  case int8 = 20
  case text = 25
  case byteaArray = 1001
  case textArray = 1009
  case int8Array = 1016
}
