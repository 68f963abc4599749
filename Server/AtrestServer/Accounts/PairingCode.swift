// SPDX-License-Identifier: Apache-2.0
// The code that a person carries from the server or one device to another: how it is made, read and
// kept.

/// Twelve letters, written `XXXX-XXXXXXXX`: four that find the invitation and eight (34 bits) that
/// prove it.
///
/// Letters only, and no vowels: nothing to confuse with a digit, and no words. Source: RFC 8628,
/// section 6.1.
struct PairingCode: Equatable {
  static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  static let handleLetters = 4
  static let secretLetters = 8
  /// How long a code is good, in milliseconds: five minutes.
  static let lifeMilliseconds: Int64 = 5 * 60 * 1000
  /// Wrong tries a code bears.
  static let tries = 5

  let handle: String
  let secret: String

  /// Draws a code.
  init(random: (Int) -> [UInt8]) {
    var letters: [UInt8] = []
    while letters.count < Self.handleLetters + Self.secretLetters {
      // Bytes above the last whole multiple of 20 would favour the first letters.
      for byte in random(16) where byte < 240 && letters.count < 12 {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    self.init(letters: letters)
  }

  /// Reads what a person typed: case, spaces and hyphens do not matter. Nil if it cannot be a code.
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

  /// As people see it.
  var text: String { "\(handle)-\(secret)" }

  /// What the store keeps of the secret.
  var secretHash: [UInt8] { Secret.hash(Array(secret.utf8)) }
}
