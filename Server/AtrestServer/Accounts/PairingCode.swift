// SPDX-License-Identifier: Apache-2.0
// The code that a person carries to a new device: drawing, parsing, storing.

/// Twelve letters, written `XXXX-XXXXXXXX`. Four identify the invitation, and eight (34 bits) are
/// its secret. The code of a numbered cell begins with its two letters: `CC-XXXX-XXXXXXXX`.
///
/// There are no digits, which could be confused with letters, and no vowels, so codes form no
/// words. Source: RFC 8628, section 6.1.
struct PairingCode: Equatable {
  static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  static let handleLetters = 4
  static let secretLetters = 8
  static let cellLetters = 2
  /// The lifetime of a code in milliseconds: five minutes.
  static let lifeMilliseconds: Int64 = 5 * 60 * 1000
  /// The number of wrong tries after which a code is void.
  static let tries = 5

  /// The cell of the account that it admits to.
  let cell: CellNumber
  let handle: String
  let secret: String

  /// Draws a code from a source of random bytes.
  init(cell: CellNumber = .sole, random: (Int) -> [UInt8]) {
    var letters: [UInt8] = []
    while letters.count < Self.handleLetters + Self.secretLetters {
      // Reject bytes above the last multiple of 20: they would favour the first letters.
      for byte in random(16) where byte < 240 && letters.count < 12 {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    self.init(cell, letters[...])
  }

  /// Parses a typed code. Ignores case, spaces and hyphens. Nil if it cannot be a code.
  init?(_ text: String) {
    var letters: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
      guard Self.alphabet.contains(upper) else { return nil }
      letters.append(upper)
    }
    let code = letters.suffix(Self.handleLetters + Self.secretLetters)
    switch letters.count - Self.handleLetters - Self.secretLetters {
    case 0: self.init(.sole, code)
    case Self.cellLetters:
      let number = letters.prefix(Self.cellLetters).reduce(0) { sum, letter in
        sum * Self.alphabet.count + (Self.alphabet.firstIndex(of: letter) ?? 0)
      }
      guard let cell = CellNumber(number) else { return nil }
      self.init(cell, code)
    default: return nil
    }
  }

  private init(_ cell: CellNumber, _ letters: ArraySlice<UInt8>) {
    self.cell = cell
    handle = String(decoding: letters.prefix(Self.handleLetters), as: UTF8.self)
    secret = String(decoding: letters.dropFirst(Self.handleLetters), as: UTF8.self)
  }

  /// The form that people see.
  var text: String {
    guard cell != .sole else { return "\(handle)-\(secret)" }
    let (first, second) = Int(cell.rawValue).quotientAndRemainder(dividingBy: Self.alphabet.count)
    let letters = [Self.alphabet[first], Self.alphabet[second]]
    return "\(String(decoding: letters, as: UTF8.self))-\(handle)-\(secret)"
  }

  /// The hash of the secret, which is all that the store keeps of it.
  var secretHash: [UInt8] { Secret.hash(Array(secret.utf8)) }
}
