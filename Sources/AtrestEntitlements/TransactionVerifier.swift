// SPDX-License-Identifier: Apache-2.0
// Which signed statements count: the fifteen checks, in their order. Pure: no I/O, no clock, no
// randomness.

import AtrestDomain
import AtrestReplication
import Crypto
import Foundation

/// Verifies what the App Store signed, for one policy.
///
/// The checks run in this order, and the first that fails is thrown:
///
/// 1. length, and room in the account; 2. form; 3. chain to a trusted root; 4. validity and rules
///    of the certificates, at the time of
/// signing; 5. Apple's marks; 6. withdrawal; 7. signature; 8. app; 9. environment; 10. product and
/// its type; 11. for a renewal, its purchase; 12. date of signing; 13. account; 14. ownership; 15.
/// the hash that is stored with the statement.
///
/// Apple's libraries verify the chain; what is signed they leave to their caller. So a genuine
/// statement of another app, another account or the sandbox would pass there.
/// - Complexity: Three signatures at most per statement and configured root; about a millisecond.
public struct TransactionVerifier: Sendable {
  /// Whom it trusts, and what counts.
  public let policy: VerificationPolicy

  /// A verifier.
  public init(policy: VerificationPolicy) {
    self.policy = policy
  }

  /// Verifies a purchase for an account.
  ///
  /// - Parameters:
  ///   - jws: JWS compact form, as the App Store wrote it.
  ///   - claim: Who says it is theirs.
  ///   - now: See `EntitlementTime.now`; on a server, its clock.
  ///   - revocation: Asked about a chain that leads to a trusted root, and only then, so that
  ///     nobody makes a server ask strangers. It may answer from a memory; it must not block.
  public func verify(
    transaction jws: [UInt8], for claim: AccountClaim, now: WallTime,
    revocation: (CertificatePath) -> RevocationAnswer = { _ in .notAsked }
  ) throws(EntitlementRejection) -> TransactionFact {
    guard claim.heldFacts < policy.factsPerAccount else { throw .tooManyFacts }
    let (statement, signed) = try authenticate(jws, revocation)
    return try admit(
      transaction(statement, signed, isTester: claim.isTester, now: now), for: claim, now: now)
  }

  /// Verifies what the App Store says about a subscription's renewal.
  ///
  /// Such a statement names neither app nor account. It counts only for a subscription of which a
  /// purchase passed all checks.
  /// - Parameters:
  ///   - jws: JWS compact form, as the App Store wrote it.
  ///   - facts: The account's verified purchases.
  ///   - now: As above.
  ///   - revocation: As above.
  public func verify(
    renewal jws: [UInt8], of facts: EntitlementFacts, for claim: AccountClaim, now: WallTime,
    revocation: (CertificatePath) -> RevocationAnswer = { _ in .notAsked }
  ) throws(EntitlementRejection) -> RenewalFact {
    guard claim.heldFacts < policy.factsPerAccount else { throw .tooManyFacts }
    let (statement, signed) = try authenticate(jws, revocation)
    let fact = try renewal(statement, signed, isTester: claim.isTester)
    guard !facts.purchases(of: fact.originalID).isEmpty else { throw .renewalWithoutTransaction }
    try checkSigned(signed, now: now)
    return fact
  }

  /// The first of two steps, for whoever has to look an account up between them: checks 1 to 10 and
  /// 12, but for room in the account. What comes of it does not depend on the account and may be
  /// remembered by its hash.
  ///
  /// - Returns: A purchase for `admit(_:for:now:)`, or renewal information, which counts if its
  ///   purchase does (check 11).
  public func authenticate(
    _ jws: [UInt8], isTester: Bool, now: WallTime,
    revocation: (CertificatePath) -> RevocationAnswer = { _ in .notAsked }
  ) throws(EntitlementRejection) -> AuthenticStatement {
    let (statement, signed) = try authenticate(jws, revocation)
    guard statement.claims["transactionId"] == nil else {
      return .transaction(try transaction(statement, signed, isTester: isTester, now: now))
    }
    let fact = try renewal(statement, signed, isTester: isTester)
    try checkSigned(signed, now: now)
    return .renewal(fact)
  }

  /// The second step: checks 13 and 14.
  public func admit(
    _ authentic: AuthenticTransaction, for claim: AccountClaim, now: WallTime
  ) throws(EntitlementRejection) -> TransactionFact {
    try checkAccount(claim, authentic.fact, now: now)
    guard authentic.isOwnershipKnown else { throw .unknownOwnership }
    return authentic.fact
  }

  /// Checks 8 to 10 and 12.
  private func transaction(
    _ statement: SignedStatement, _ signed: WallTime, isTester: Bool, now: WallTime
  ) throws(EntitlementRejection) -> AuthenticTransaction {
    let claims = Claims(statement)
    guard try claims.text("bundleId") == policy.bundleID else { throw .otherApp }
    if let appID = try claims.optionalNumber("appAppleId"), let ours = policy.appAppleID {
      guard appID == ours else { throw .otherApp }
    }
    let environment = try checkEnvironment(claims, isTester: isTester)
    let productID = try claims.text("productId")
    guard let type = policy.products[productID] else { throw .unknownProduct }
    guard try claims.text("type") == type.rawValue else { throw .wrongProductType }
    let expires = try claims.optionalTime("expiresDate")
    // Without an end a subscription would last for ever.
    guard (type == .subscription) == (expires != nil) else { throw .wrongProductType }
    try checkSigned(signed, now: now)
    let ownership = Ownership(rawValue: try claims.text("inAppOwnershipType"))
    let fact = TransactionFact(
      id: .init(
        environment: environment, transactionID: try claims.identifier("transactionId")),
      originalID: .init(
        environment: environment, transactionID: try claims.identifier("originalTransactionId")),
      productID: productID, type: type, ownership: ownership ?? .purchased, expires: expires,
      revoked: try claims.optionalTime("revocationDate"),
      revokedShare: try claims.optionalNumber("revocationPercentage"),
      appAccountToken: try claims.optionalUUID("appAccountToken"),
      order: StatementOrder(signed: signed, hash: statement.hash))
    return AuthenticTransaction(fact: fact, isOwnershipKnown: ownership != nil)
  }

  /// Checks 9 and 10 of renewal information.
  private func renewal(
    _ statement: SignedStatement, _ signed: WallTime, isTester: Bool
  ) throws(EntitlementRejection) -> RenewalFact {
    let claims = Claims(statement)
    let environment = try checkEnvironment(claims, isTester: isTester)
    guard let type = policy.products[try claims.text("productId")] else { throw .unknownProduct }
    guard type == .subscription else { throw .wrongProductType }
    return RenewalFact(
      originalID: .init(
        environment: environment, transactionID: try claims.identifier("originalTransactionId")),
      graceExpires: try claims.optionalTime("gracePeriodExpiresDate"),
      order: StatementOrder(signed: signed, hash: statement.hash))
  }

  /// Checks 1 to 7: whether the App Store signed these bytes, and when.
  private func authenticate(
    _ jws: [UInt8], _ revocation: (CertificatePath) -> RevocationAnswer
  ) throws(EntitlementRejection) -> (SignedStatement, WallTime) {
    let statement = try SignedStatement(jws)
    let claims = Claims(statement)
    guard let signed = try claims.optionalTime("signedDate") else { throw .malformed }
    let path = try CertificatePath(
      statement.certificates, anchors: policy.anchors, at: signed)
    switch revocation(path) {
    case .good: break
    case .revoked: throw .certificateRevoked
    case .notAsked, .unavailable:
      if policy.requiresRevocationAnswer { throw .revocationUnknown }
    }
    guard path.didSign(statement) else { throw .badSignature }
    return (statement, signed)
  }

  /// Check 9. Whatever the policy, what local tests make never counts: libraries skip the signature
  /// there.
  private func checkEnvironment(
    _ claims: Claims, isTester: Bool
  ) throws(EntitlementRejection) -> StoreEnvironment {
    let name = try claims.text("environment")
    guard let environment = StoreEnvironment(rawValue: name) else { throw .localTesting }
    guard environment == policy.environment || (isTester && environment == .sandbox) else {
      throw .otherEnvironment
    }
    return environment
  }

  /// Check 12.
  private func checkSigned(_ signed: WallTime, now: WallTime) throws(EntitlementRejection) {
    let (lead, overflow) = signed.milliseconds.subtractingReportingOverflow(now.milliseconds)
    guard !overflow, lead <= policy.clockToleranceMilliseconds else {
      throw .signedInTheFuture
    }
  }

  /// Check 13: whom the App Store names, and who holds the purchase. The first account that shows
  /// one keeps it.
  private func checkAccount(
    _ claim: AccountClaim, _ fact: TransactionFact, now: WallTime
  ) throws(EntitlementRejection) {
    if let token = fact.appAccountToken {
      guard let ours = claim.appAccountToken else { throw .accountUnknown }
      guard token == ours else { throw .otherAccount }
    }
    guard case .another(let since) = claim.holder(fact.originalID) else { return }
    guard claim.asksForTransfer else { throw .heldByAnotherAccount }
    guard now.isWithin(policy.transferFreshnessMilliseconds, of: fact.order.signed) else {
      throw .transferNeedsFreshStatement
    }
    guard !now.isWithin(policy.transferCooldownMilliseconds, of: since) else {
      throw .transferTooSoon
    }
  }
}

extension WallTime {
  /// Whether two times are at most so far apart.
  fileprivate func isWithin(_ milliseconds: Int64, of other: WallTime) -> Bool {
    let (distance, overflow) = self.milliseconds.subtractingReportingOverflow(other.milliseconds)
    return !overflow && distance.magnitude <= milliseconds.magnitude
  }
}
