// SPDX-License-Identifier: Apache-2.0
// The six digits by which a user recognizes the pending device.

import Crypto

extension PairRequest {
  /// Six digits that the pending device and its approver both display. Another device with the same
  /// link shows different digits, whatever its name. Empty without a nonce; such a device cannot be
  /// approved.
  ///
  /// An attacker who draws nonces until the digits match must know in advance what the other device
  /// will show.
  public var digits: String {
    guard !nonce.isEmpty else { return "" }
    var hash = SHA256()
    hash.update(data: Array("atrest digits".utf8))
    hash.update(data: nonce)
    hash.update(data: Array(code.utf8))
    let number = hash.finalize().prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 1_000_000
    let digits = String(number)
    return String(repeating: "0", count: PairingDigits.count - digits.utf8.count) + digits
  }
}

/// Validates the digits of a pending device.
enum PairingDigits {
  static let count = 6

  static func checked(_ text: String) throws(WireError) -> String {
    let isSound =
      text.utf8.count == count
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isSound else { throw .invalid("a pending device has six digits") }
    return text
  }
}
