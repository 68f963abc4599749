// SPDX-License-Identifier: Apache-2.0
// Fuzzes App Store statements: raw, with arbitrary header and payload, and validly signed.

import AtrestAppStore
import AtrestDomain
import AtrestEntitlements
import AtrestReplication
import AtrestWire
import Foundation

extension FuzzTarget {
  /// The first byte selects which part of a statement the rest is.
  static let jws = FuzzTarget(name: "jws", limitBytes: 4096) { bytes in
    var input = Input(bytes)
    switch input.byte() % 4 {
    case 0: try check(statement: input.remainder())
    case 1:
      // Header, payload and signature with arbitrary bytes.
      let parts = [input.part(), input.part(), input.remainder()]
      try check(statement: Array(parts.map(Samples.base64URL).joined(separator: ".").utf8))
    case 2:
      let payload = String(decoding: input.remainder(), as: UTF8.self)
      try check(statement: Store.shared.get().authority.sign(payload))
    default:
      // A chain of arbitrary bytes. The last certificate is also a trust anchor.
      let chain = [input.part(), input.part(), input.remainder()]
      let header = TestAuthority.header(chain)
      let signed = try Store.shared.get().authority.sign(Payload().text, header: header)
      guard let anchors = try? TrustAnchors(certificatesDER: [chain[2]]) else { return }
      try check(statement: signed, anchors: anchors)
    }
  } seeds: {
    let payloads = [
      Payload().text, Payload.renewal().text, Payload(["type": "\"Non-Consumable\""]).text,
      Payload(["revocationDate": "\(Payload.signed)", "revocationPercentage": "50000"]).text,
      Payload(["appAccountToken": "\"01234567-89ab-cdef-0123-456789abcdef\""]).text,
      Payload(["note": "[1,2.5,true,null,\"\\u00e9\\ud83d\\ude00\"]"]).text,
    ]
    var seeds = payloads.enumerated().map {
      (name: "payload-\($0)", input: [2] + Array($1.utf8))
    }
    let header = Array(#"{"alg":"ES256","x5c":["AA==","AQ==","Ag=="]}"#.utf8)
    seeds.append(
      ("parts", [1] + Input.part(header) + Input.part(Array(Payload().text.utf8)) + Samples.id))
    seeds.append(("whole", [0] + Samples.jws))
    return seeds
  }

  private static let bundle = "com.atrest.fasting"
  private static let now = WallTime(milliseconds: Payload.signed + 1000)

  /// A per-process authority: its keys are new each time, but verdicts on its signatures are the
  /// same.
  private struct Store: Sendable {
    let authority: TestAuthority
    let anchors: TrustAnchors

    static let shared = Result {
      let authority = try TestAuthority()
      return Store(
        authority: authority, anchors: try TrustAnchors(certificatesDER: [authority.root]))
    }
  }

  private static func check(statement jws: [UInt8], anchors: TrustAnchors? = nil) throws {
    let claims = SignedTransaction(jws: jws)
    if let claims {
      try law((1...64).contains(claims.transactionID.utf8.count), "a transaction's name is bounded")
      guard let record = EntitlementField.record(jws: jws) else {
        throw BrokenLaw(description: "a statement that has its place makes no record")
      }
      try checkRoundTrip(record)
      try record.checkKindRules()
    }
    let verifier = TransactionVerifier(
      policy: VerificationPolicy(
        anchors: try anchors ?? Store.shared.get().anchors, bundleID: bundle))
    let claim = AccountClaim(appAccountToken: nil)
    // Each of the three either throws a rejection with a message, or returns what it verified.
    if let fact = try? verifier.verify(transaction: jws, for: claim, now: now) {
      try law(claims?.transactionID == fact.id.transactionID, "two readers see one purchase")
      try law(
        claims?.signedMilliseconds == fact.order.signed.milliseconds, "two readers see one date")
    }
    do throws(EntitlementRejection) {
      _ = try verifier.authenticate(jws, isTester: true, now: now)
    } catch {
      try law(!error.userMessage.isEmpty, "a rejection has words")
    }
  }
}
