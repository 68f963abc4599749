// SPDX-License-Identifier: Apache-2.0
// The number of a cell: a database that holds some of the accounts.

/// A cell: a database of its own, which holds all of what it knows of its accounts.
///
/// The number is part of each device's token and of each pairing code, so that no lookup is shared
/// by all cells.
package struct CellNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let rawValue: UInt16

  /// The only cell of a server that has no numbered ones.
  package static let sole = CellNumber(unchecked: 0)
  /// The greatest number: two letters of a pairing code tell 400 cells apart.
  package static let greatest = 399

  /// A numbered cell. Nil unless the number is in `1...greatest`.
  package init?(_ number: Int) {
    guard (1...Self.greatest).contains(number) else { return nil }
    self.init(unchecked: UInt16(number))
  }

  /// A cell as a store has it: 0 is the sole cell. Nil beyond `greatest`.
  package init?(stored number: Int64) {
    guard (0...Int64(Self.greatest)).contains(number) else { return nil }
    self.init(unchecked: UInt16(number))
  }

  /// Parses decimal digits without a sign or leading zeros. Nil for anything else, 0 included.
  package init?(_ digits: some Collection<UInt8>) {
    guard (1...3).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    self.init(number)
  }

  private init(unchecked rawValue: UInt16) { self.rawValue = rawValue }

  package var description: String { String(rawValue) }

  package static func < (a: CellNumber, b: CellNumber) -> Bool { a.rawValue < b.rawValue }
}
