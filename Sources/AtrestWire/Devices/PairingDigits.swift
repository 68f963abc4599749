// SPDX-License-Identifier: Apache-2.0
// The six digits by which a user recognizes the pending device.

import AtrestDomain

extension PairRequest {
  /// Six digits that the pending device and its approver both display. Another device with the same
  /// link shows different digits, whatever its name. Empty without a nonce; such a device cannot be
  /// approved.
  ///
  /// An attacker who draws nonces until the digits match must know in advance what the other device
  /// will show.
  public var digits: String {
    guard !nonce.isEmpty else { return "" }
    let hash = PortableSHA256.hash(Array("atrest digits".utf8) + nonce + Array(code.utf8))
    let number = hash.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 1_000_000
    let digits = String(number)
    return String(repeating: "0", count: Limit.digits - digits.utf8.count) + digits
  }
}

extension PendingDevice {
  /// Checks the digits of a pending device as they were sent.
  package static func checkDigits(_ text: String) throws(WireError) {
    let isSound =
      text.utf8.count == Limit.digits
      && text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard isSound else { throw .invalid("a pending device has six digits") }
  }
}
