// SPDX-License-Identifier: Apache-2.0
// Six digits by which a person knows the device that waits from one that somebody else holds.

import Crypto

extension PairRequest {
  /// What a device shows while it waits to be let in, and what whoever is asked about it is shown:
  /// six digits. Somebody else with the same link shows others, whatever the device calls itself.
  /// Empty without a nonce: then it is not let in by approval.
  ///
  /// Whoever draws nonces until the digits fit must know beforehand what the other device will
  /// show.
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

/// What a pending device's digits may be on the wire.
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
