// SPDX-License-Identifier: Apache-2.0
// Check 2: parses a signed statement into its parts. Verifies nothing yet.

import AtrestCrypto
import AtrestDomain

/// A parsed JWS in compact form.
struct SignedStatement {
  /// The header's three certificates in DER, leaf first. The third is used only if a fingerprint
  /// pins it.
  let certificates: [[UInt8]]
  /// The signed bytes: header and payload as received.
  let signedBytes: [UInt8]
  /// The ES256 signature: two integers of 32 bytes.
  let signature: [UInt8]
  /// The payload's members.
  let claims: [String: StrictJSON]
  /// SHA-256 of the whole text.
  let hash: [UInt8]

  /// Parses a statement.
  ///
  /// - Throws: `.tooLarge` above `SignedTransaction.limitBytes`, before any parsing; then the
  ///   failed part of check 2.
  init(_ jws: [UInt8]) throws(EntitlementRejection) {
    guard jws.count <= SignedTransaction.limitBytes else { throw .tooLarge }
    let segments = jws.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard segments.count == 3, let header = StrictBase64.url(segments[0]),
      let payload = StrictBase64.url(segments[1]), let signature = StrictBase64.url(segments[2]),
      let headerMembers = StrictJSON(header)?.members, let claims = StrictJSON(payload)?.members
    else { throw .malformed }
    // `crit` names extensions that the reader must understand (RFC 7515, 4.1.11). This one
    // understands none.
    guard headerMembers["alg"]?.text == "ES256", headerMembers["crit"] == nil else {
      throw .wrongAlgorithm
    }
    guard let chain = headerMembers["x5c"]?.elements, chain.count == 3 else {
      throw .wrongCertificateCount
    }
    certificates = try chain.map { element throws(EntitlementRejection) in
      guard let text = element.text, let der = StrictBase64.padded(Array(text.utf8)) else {
        throw .malformed
      }
      return der
    }
    guard signature.count == 64 else { throw .malformedSignature }
    self.signature = signature
    self.claims = claims
    signedBytes = Array(jws[..<segments[1].endIndex])
    hash = SHA256.hash(jws)
  }
}
