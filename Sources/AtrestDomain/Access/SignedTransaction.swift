// SPDX-License-Identifier: Apache-2.0
// Reads the claims of a signed App Store transaction without verifying it.

import AtrestReplication

/// The claims of a signed transaction (JWS compact form) that identify and order it. Unverified:
/// they order facts and grant nothing.
public struct SignedTransaction: Hashable, Sendable {
  /// The largest transaction that is parsed, in bytes.
  public static let limitBytes = 16 * 1024

  /// A statement as a file holds it, without the white space at its end: that belongs to the file.
  public static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    while let last = bytes.last, [0x0A, 0x0D, 0x20].contains(last) { bytes.removeLast() }
    return bytes
  }

  /// The prefix before the original transaction's id in the name of renewal information.
  public static let renewalPrefix = "renewal."

  /// The name of the statement: the App Store's transaction id; for renewal information, which has
  /// none, `renewalPrefix` and the id of the subscription's first purchase. 1 to 64 ASCII
  /// characters.
  public let transactionID: String
  /// When the App Store signed the statement, in milliseconds since 1970, UTC.
  public let signedMilliseconds: Int64

  /// Parses the claims; nil if the bytes are not a JWS whose payload has them.
  public init?(jws: [UInt8]) {
    guard jws.count <= Self.limitBytes else { return nil }
    let segments = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, let payload = StrictBase64.url(segments[1]),
      let claims = StrictJSON(payload)?.members,
      let name = claims["transactionId"]?.text
        ?? claims["originalTransactionId"]?.text.map({ Self.renewalPrefix + $0 }),
      (1...64).contains(name.utf8.count),
      name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let signed = claims["signedDate"]?.number, WallTime.recordable.contains(signed)
    else { return nil }
    transactionID = name
    signedMilliseconds = signed
  }
}
