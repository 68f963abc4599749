// SPDX-License-Identifier: Apache-2.0
// What a device shows to be known: its token, and the cell that issued it.

import AtrestHTTP2
import AtrestReplication

/// The credentials of a device, as text: the number of a numbered cell and a dot, then 80
/// hexadecimal digits.
package struct Credentials: Sendable {
  private static let digits = 2 * (8 + Token.secretBytes)
  private static let scheme = Array("bearer ".utf8)

  /// Where the device is looked up. If its account was moved, this cell knows where to.
  package let cell: CellNumber
  package let token: Token

  init(cell: CellNumber, token: Token) {
    self.cell = cell
    self.token = token
  }

  /// The credentials of a call. Nil without any, and for what cannot be any.
  package init?(_ metadata: Metadata) {
    guard let header = metadata.onlyBytes("authorization") else { return nil }
    self.init(authorization: header)
  }

  /// Parses the value of the `authorization` metadata: `Bearer` and the text. Nil for anything
  /// else.
  init?(authorization bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.scheme.count + Self.digits else { return nil }
    // The scheme is case-insensitive: RFC 9110, section 11.1.
    for (byte, expected) in zip(bytes, Self.scheme) where byte | 0x20 != expected { return nil }
    guard let cell = Self.cell(bytes.dropFirst(Self.scheme.count).dropLast(Self.digits)),
      let octets = Hexadecimal.decoded(bytes.suffix(Self.digits))
    else { return nil }
    self.cell = cell
    token = Token(
      replica: ReplicaID(rawValue: octets[..<8].reduce(0) { $0 << 8 | UInt64($1) }),
      secret: Array(octets[8...]))
  }

  private static func cell(_ prefix: ArraySlice<UInt8>) -> CellNumber? {
    guard let last = prefix.last else { return .sole }
    return last == UInt8(ascii: ".") ? CellNumber(prefix.dropLast()) : nil
  }

  /// The form that the device stores.
  var text: String {
    let replica = withUnsafeBytes(of: token.replica.rawValue.bigEndian) { Array($0) }
    return (cell == .sole ? "" : "\(cell).") + Hexadecimal.encoded(replica + token.secret)
  }
}
