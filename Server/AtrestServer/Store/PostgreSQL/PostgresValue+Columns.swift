// SPDX-License-Identifier: Apache-2.0
// Sets of rows as parameters: one array for each column, which `unnest` puts side by side. Pure.

import AtrestPostgreSQL

extension PostgresValue {
  /// A column of numbers.
  static func integers<Rows: Collection>(
    _ rows: Rows, _ value: (Rows.Element) -> Int64?
  ) -> PostgresValue {
    .int8Array(rows.map(value))
  }

  /// A column of numbers without a sign, of which the database keeps the bits.
  static func bits<Rows: Collection>(
    _ rows: Rows, _ value: (Rows.Element) -> UInt64?
  ) -> PostgresValue {
    .int8Array(rows.map { value($0).map { Int64(bitPattern: $0) } })
  }

  /// A column of bytes.
  static func bytes<Rows: Collection>(
    _ rows: Rows, _ value: (Rows.Element) -> [UInt8]?
  ) -> PostgresValue {
    .byteaArray(rows.map(value))
  }

  /// A column of texts to be written.
  static func texts<Rows: Collection>(
    _ rows: Rows, _ value: (Rows.Element) -> String?
  ) -> PostgresValue {
    .textArray(rows.map(value))
  }

  /// A column of texts to be looked for. PostgreSQL has no text with NUL, so none is found.
  static func wanted<Rows: Collection>(
    _ rows: Rows, _ value: (Rows.Element) -> String
  ) -> PostgresValue {
    .textArray(
      rows.map { row in
        let text = value(row)
        return text.utf8.contains(0) ? nil : text
      })
  }
}
