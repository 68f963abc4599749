// SPDX-License-Identifier: Apache-2.0
// What an App Store signed transaction says about itself, before anybody verified it.

import Foundation

/// The claims of a signed transaction (JWS compact form) that give it its place among others.
/// Nothing here is verified: it orders facts, it grants nothing.
public struct SignedTransaction: Hashable, Sendable {
  /// Bytes of the longest transaction that is looked at.
  public static let limitBytes = 16 * 1024

  /// What stands before the original transaction's id in the name of renewal information.
  public static let renewalPrefix = "renewal."

  /// Names what is stated: the App Store's id of the purchase or, for renewal information, which
  /// has none, `renewalPrefix` and the id of the subscription's first purchase. 1 to 64 characters
  /// of ASCII.
  public let transactionID: String
  /// When the App Store signed this statement, in milliseconds since 1970, UTC.
  public let signedMilliseconds: Int64

  private struct Claims: Decodable {
    var transactionId: String?
    var originalTransactionId: String?
    var signedDate: Int64
  }

  /// Reads the claims, or returns nil if the bytes are not a JWS whose payload has them.
  public init?(jws: [UInt8]) {
    guard jws.count <= Self.limitBytes else { return nil }
    let segments = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, let payload = Self.base64URL(segments[1]),
      let claims = try? JSONDecoder().decode(Claims.self, from: payload),
      let name = claims.transactionId
        ?? claims.originalTransactionId.map({ Self.renewalPrefix + $0 }),
      (1...64).contains(name.utf8.count),
      name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      (1..<(1 << 47)).contains(claims.signedDate)
    else { return nil }
    transactionID = name
    signedMilliseconds = claims.signedDate
  }

  private static func base64URL(_ text: ArraySlice<UInt8>) -> Data? {
    var base64 = text.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: Data(base64))
  }
}
