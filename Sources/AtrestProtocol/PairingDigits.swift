// SPDX-License-Identifier: Apache-2.0
// Six digits by which a person tells the pending device from one that somebody else holds.

import Crypto

extension PairRequest {
  /// Six digits that both the pending device and the approving device show. Another device with the
  /// same link has other digits, whatever name it uses. Empty without a nonce: then the device
  /// cannot be approved.
  ///
  /// An attacker who searches for a nonce with matching digits would have to know the other
  /// device's digits in advance.
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

/// The format of digits on the wire.
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
