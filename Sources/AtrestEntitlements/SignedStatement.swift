// SPDX-License-Identifier: Apache-2.0
// Check 2: which bytes are a signed statement at all, and what its parts are. Nothing here is
// verified yet.

import AtrestDomain
import Crypto

/// A JWS in compact form, taken apart.
struct SignedStatement {
  /// The three certificates of the header, leaf first, in DER. The third is looked at only where a
  /// fingerprint pins it.
  let certificates: [[UInt8]]
  /// What the signature covers: header and payload as they were written.
  let signedBytes: [UInt8]
  /// Two integers of 32 bytes.
  let signature: [UInt8]
  /// The payload's members.
  let claims: [String: StrictJSON]
  /// SHA-256 of the whole text.
  let hash: [UInt8]

  /// Takes a statement apart.
  ///
  /// - Throws: `.tooLarge` above `SignedTransaction.limitBytes`, before anything is parsed; then
  ///   what of check 2 failed.
  init(_ jws: [UInt8]) throws(EntitlementRejection) {
    guard jws.count <= SignedTransaction.limitBytes else { throw .tooLarge }
    let segments = jws.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard segments.count == 3, let header = StrictBase64.url(segments[0]),
      let payload = StrictBase64.url(segments[1]), let signature = StrictBase64.url(segments[2]),
      let headerMembers = StrictJSON(header)?.members, let claims = StrictJSON(payload)?.members
    else { throw .malformed }
    // `crit` names extensions that a reader must understand (RFC 7515, 4.1.11). This one
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
    hash = Array(SHA256.hash(data: jws))
  }
}
