// SPDX-License-Identifier: Apache-2.0
// The code that a person carries to a new device: drawing, parsing, storing.

/// Twelve letters, written `XXXX-XXXXXXXX`. Four identify the invitation, and eight (34 bits) are
/// its secret.
///
/// There are no digits, which could be confused with letters, and no vowels, so codes form no
/// words. Source: RFC 8628, section 6.1.
struct PairingCode: Equatable {
  static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  static let handleLetters = 4
  static let secretLetters = 8
  /// The lifetime of a code in milliseconds: five minutes.
  static let lifeMilliseconds: Int64 = 5 * 60 * 1000
  /// The number of wrong tries after which a code is void.
  static let tries = 5

  let handle: String
  let secret: String

  /// Draws a code from a source of random bytes.
  init(random: (Int) -> [UInt8]) {
    var letters: [UInt8] = []
    while letters.count < Self.handleLetters + Self.secretLetters {
      // Reject bytes above the last multiple of 20: they would favour the first letters.
      for byte in random(16) where byte < 240 && letters.count < 12 {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    self.init(letters: letters)
  }

  /// Parses a typed code. Ignores case, spaces and hyphens. Nil if it cannot be a code.
  init?(_ text: String) {
    var letters: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
      guard Self.alphabet.contains(upper) else { return nil }
      letters.append(upper)
    }
    guard letters.count == Self.handleLetters + Self.secretLetters else { return nil }
    self.init(letters: letters)
  }

  private init(letters: [UInt8]) {
    handle = String(decoding: letters.prefix(Self.handleLetters), as: UTF8.self)
    secret = String(decoding: letters.dropFirst(Self.handleLetters), as: UTF8.self)
  }

  /// The form that people see.
  var text: String { "\(handle)-\(secret)" }

  /// The hash of the secret, which is all that the store keeps of it.
  var secretHash: [UInt8] { Secret.hash(Array(secret.utf8)) }
}
