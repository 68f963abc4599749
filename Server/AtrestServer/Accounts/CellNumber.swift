// SPDX-License-Identifier: Apache-2.0
// Which of several databases holds an account.

/// The number of a cell: one database of several, each of which holds accounts of its own.
package struct CellNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The only database, which needs no number.
  package static let sole = CellNumber(0)
  /// The greatest number.
  package static let limit: UInt16 = 399

  package let rawValue: UInt16

  /// Nil beyond `limit`.
  package init?(rawValue: UInt16) {
    guard rawValue <= Self.limit else { return nil }
    self.rawValue = rawValue
  }

  private init(_ rawValue: UInt16) { self.rawValue = rawValue }

  package static func < (a: CellNumber, b: CellNumber) -> Bool { a.rawValue < b.rawValue }

  /// Decimal digits.
  package var description: String { String(rawValue) }
}
