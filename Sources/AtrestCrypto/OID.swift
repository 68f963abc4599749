// SPDX-License-Identifier: Apache-2.0
// Names algorithms, curves and extensions.

/// An ASN.1 object identifier.
package struct OID: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The contents of its DER encoding.
  private let bytes: [UInt8]

  /// Creates an identifier from the numbers of its text, `[1, 2, 840]` for 1.2.840.
  package init(arrayLiteral numbers: UInt...) {
    precondition(numbers.count >= 2 && numbers[0] <= 2 && numbers[1] < 40, "no identifier")
    // The first two share a byte.
    bytes = ([numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)).flatMap { number in
      var digits = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      return digits
    }
  }

  /// The identifier of an encoding; nil unless each number is complete and as short as can be.
  init?(contents: ArraySlice<UInt8>) {
    var isFirst = true
    for byte in contents {
      // 0x80 at the beginning of a number is a leading zero.
      guard !isFirst || byte != 0x80 else { return nil }
      isFirst = byte < 0x80
    }
    guard isFirst, !contents.isEmpty else { return nil }
    bytes = Array(contents)
  }
}
