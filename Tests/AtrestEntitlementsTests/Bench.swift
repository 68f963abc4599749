// SPDX-License-Identifier: Apache-2.0
// Test support: a verifier that trusts the tests' authority, and shorthands.

import AtrestAppStore
import AtrestEntitlements
import AtrestReplication

/// An authority, a verifier that trusts it, and shorthands.
struct Bench {
  let authority: TestAuthority
  var policy: VerificationPolicy
  var now = WallTime(milliseconds: Payload.signed + 1000)
  var claim = AccountClaim(appAccountToken: nil)

  init(flaws: TestAuthority.Flaws = .init()) throws {
    authority = try TestAuthority(flaws: flaws)
    policy = VerificationPolicy(
      anchors: try TrustAnchors(certificatesDER: [authority.root]),
      bundleID: "com.atrest.fasting", appAppleID: 6_700_000_001)
  }

  func verify(
    _ jws: [UInt8], revocation: RevocationAnswer = .notAsked
  ) throws(EntitlementRejection) -> TransactionFact {
    try TransactionVerifier(policy: policy).verify(
      transaction: jws, for: claim, now: now, revocation: { _ in revocation })
  }

  /// The rejection of a statement. Nil if it is accepted.
  func refusal(
    of jws: [UInt8], revocation: RevocationAnswer = .notAsked
  ) -> EntitlementRejection? {
    do {
      _ = try verify(jws, revocation: revocation)
      return nil
    } catch {
      return error
    }
  }

  /// The rejection of a purchase with changed claims. Nil if it is accepted.
  func refusal(
    changing changes: [String: String?], revocation: RevocationAnswer = .notAsked
  ) throws -> EntitlementRejection? {
    refusal(of: try authority.sign(Payload(changes).text), revocation: revocation)
  }

  /// The rejection of renewal information about known purchases. Nil if it is accepted.
  func refusal(
    renewal payload: Payload, of facts: EntitlementFacts
  ) throws -> EntitlementRejection? {
    let jws = try authority.sign(payload.text)
    do {
      _ = try TransactionVerifier(policy: policy).verify(
        renewal: jws, of: facts, for: claim, now: now)
      return nil
    } catch {
      return error
    }
  }
}
