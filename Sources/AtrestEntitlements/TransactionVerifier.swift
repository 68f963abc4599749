// SPDX-License-Identifier: Apache-2.0
// Verifies signed statements with fifteen ordered checks. Pure: no I/O, no clock, no randomness.

import AtrestDomain
import AtrestReplication
import Foundation

/// Verifies App Store statements under one policy.
///
/// The checks run in this order, and the first failure is thrown: 1 length, and room in the
/// account; 2 form; 3 path to a trusted root; 4 validity and constraints of the certificates at the
/// time of signing; 5 Apple's extensions; 6 revocation; 7 signature; 8 app; 9 environment; 10
/// product and its type; 11 for a renewal, its purchase; 12 date of signing; 13 account; 14
/// ownership; 15 the hash stored with the statement.
///
/// Apple's libraries verify the path and leave the content to the caller. With them alone, a
/// genuine statement for another app, another account or the sandbox would pass.
/// - Complexity: At most three signature verifications per statement and configured root; about
///   3 ms.
public struct TransactionVerifier: Sendable {
  /// The trusted roots and the rules for what counts.
  public let policy: VerificationPolicy

  /// Creates a verifier for a policy.
  public init(policy: VerificationPolicy) {
    self.policy = policy
  }

  /// Verifies a purchase for an account.
  ///
  /// - Parameters:
  ///   - jws: JWS compact form, as the App Store issued it.
  ///   - claim: The claiming account.
  ///   - now: See `EntitlementTime.now`; on a server, its clock.
  ///   - revocation: Asked only about a path to a trusted root, so that nobody can make a server
  ///     query arbitrary hosts. It may answer from a cache; it must not block.
  /// - Throws: The first failed check.
  public func verify(
    transaction jws: [UInt8], for claim: AccountClaim, now: WallTime,
    revocation: (CertificatePath) -> RevocationAnswer = { _ in .notAsked }
  ) throws(EntitlementRejection) -> TransactionFact {
    guard claim.heldFacts < policy.factsPerAccount else { throw .tooManyFacts }
    let (statement, signed) = try authenticate(jws, revocation)
    return try admit(
      transaction(statement, signed, isTester: claim.isTester, now: now), for: claim, now: now)
  }

  /// Verifies renewal information.
  ///
  /// Such a statement names neither app nor account. It counts only for a subscription with a fully
  /// verified purchase.
  /// - Parameters:
  ///   - jws: JWS compact form, as the App Store issued it.
  ///   - facts: The account's verified purchases.
  ///   - now: As above.
  ///   - revocation: As above.
  /// - Throws: The first failed check.
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

  /// The first of two steps, for callers that must look up the account in between: checks 1 to 10
  /// and 12, except room in the account. The result does not depend on the account and may be
  /// cached by hash.
  ///
  /// - Returns: A purchase for `admit(_:for:now:)`, or renewal information, which counts if its
  ///   purchase does (check 11).
  /// - Throws: The first failed check.
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
  ///
  /// - Throws: The rejection of check 13 or 14.
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
    // A subscription without an end would last for ever.
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

  /// Check 9. Statements from local tests never count, whatever the policy: libraries skip the
  /// signature there.
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

  /// Check 12: the date of signing.
  private func checkSigned(_ signed: WallTime, now: WallTime) throws(EntitlementRejection) {
    let (lead, overflow) = signed.milliseconds.subtractingReportingOverflow(now.milliseconds)
    guard !overflow, lead <= policy.clockToleranceMilliseconds else {
      throw .signedInTheFuture
    }
  }

  /// Check 13: the account that the App Store names, and the holder of the purchase. The first
  /// account to present one keeps it.
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
  /// Whether two times are at most `milliseconds` apart.
  fileprivate func isWithin(_ milliseconds: Int64, of other: WallTime) -> Bool {
    let (distance, overflow) = self.milliseconds.subtractingReportingOverflow(other.milliseconds)
    return !overflow && distance.magnitude <= milliseconds.magnitude
  }
}
