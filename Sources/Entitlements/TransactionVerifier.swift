// SPDX-License-Identifier: Apache-2.0
// Which signed statements count: the fifteen checks, in their order. Pure: no I/O, no clock, no randomness.

import AtrestDomain
import Crypto
import Foundation
import Replication

/// Verifies what the App Store signed, for one policy.
///
/// The checks run in this order, and the first that fails is thrown:
///
/// 1. length, and room in the account; 2. form; 3. chain to a trusted root; 4. validity and rules of the certificates, at the time of
/// signing; 5. Apple's marks; 6. withdrawal; 7. signature; 8. app; 9. environment; 10. product and its type; 11. for a renewal, its
/// purchase; 12. date of signing; 13. account; 14. ownership; 15. the hash that is stored with the statement.
///
/// Apple's libraries verify the chain; what is signed they leave to their caller. So a genuine statement of another app, another account or
/// the sandbox would pass there.
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
  ///   - revocation: Asked about a chain that leads to a trusted root, and only then, so that nobody makes a server ask strangers. It may
  ///     answer from a memory; it must not block.
  public func verify(
    transaction jws: [UInt8], for claim: AccountClaim, now: WallTime,
    revocation: (CertificatePath) -> RevocationAnswer = { _ in .notAsked }
  ) throws(EntitlementRejection) -> TransactionFact {
    guard claim.heldFacts < policy.factsPerAccount else { throw .tooManyFacts }
    let (statement, signed) = try authenticate(jws, revocation)
    let claims = Claims(statement)

    guard try claims.text("bundleId") == policy.bundleID else { throw .otherApp }
    if let appID = try claims.optionalNumber("appAppleId"), let ours = policy.appAppleID {
      guard appID == ours else { throw .otherApp }
    }
    let environment = try checkEnvironment(claims, for: claim)
    let productID = try claims.text("productId")
    guard let type = policy.products[productID] else { throw .unknownProduct }
    guard try claims.text("type") == type.rawValue else { throw .wrongProductType }
    let expires = try claims.optionalTime("expiresDate")
    // Without an end a subscription would last for ever.
    guard (type == .subscription) == (expires != nil) else { throw .wrongProductType }
    try checkSigned(signed, now: now)

    let original = TransactionFact.ID(
      environment: environment, transactionID: try claims.identifier("originalTransactionId"))
    let token = try claims.optionalUUID("appAccountToken")
    try checkAccount(claim, original: original, token: token, signed: signed, now: now)
    guard let ownership = Ownership(rawValue: try claims.text("inAppOwnershipType")) else {
      throw .unknownOwnership
    }
    return TransactionFact(
      id: .init(
        environment: environment, transactionID: try claims.identifier("transactionId")),
      originalID: original, productID: productID, type: type, ownership: ownership,
      expires: expires, revoked: try claims.optionalTime("revocationDate"),
      revokedShare: try claims.optionalNumber("revocationPercentage"), appAccountToken: token,
      order: StatementOrder(signed: signed, hash: statement.hash))
  }

  /// Verifies what the App Store says about a subscription's renewal.
  ///
  /// Such a statement names neither app nor account. It counts only for a subscription of which a purchase passed all checks.
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
    let claims = Claims(statement)
    let environment = try checkEnvironment(claims, for: claim)
    guard let type = policy.products[try claims.text("productId")] else { throw .unknownProduct }
    guard type == .subscription else { throw .wrongProductType }
    let original = TransactionFact.ID(
      environment: environment, transactionID: try claims.identifier("originalTransactionId"))
    guard !facts.purchases(of: original).isEmpty else { throw .renewalWithoutTransaction }
    try checkSigned(signed, now: now)
    return RenewalFact(
      originalID: original, graceExpires: try claims.optionalTime("gracePeriodExpiresDate"),
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

  /// Check 9. Whatever the policy, what local tests make never counts: libraries skip the signature there.
  private func checkEnvironment(
    _ claims: Claims, for claim: AccountClaim
  ) throws(EntitlementRejection) -> StoreEnvironment {
    let name = try claims.text("environment")
    guard let environment = StoreEnvironment(rawValue: name) else { throw .localTesting }
    let isTesters = environment == .sandbox && claim.isTester
    guard environment == policy.environment || isTesters else { throw .otherEnvironment }
    return environment
  }

  /// Check 12.
  private func checkSigned(_ signed: WallTime, now: WallTime) throws(EntitlementRejection) {
    let (lead, overflow) = signed.milliseconds.subtractingReportingOverflow(now.milliseconds)
    guard !overflow, lead <= policy.clockToleranceMilliseconds else {
      throw .signedInTheFuture
    }
  }

  /// Check 13: whom the App Store names, and who holds the purchase. The first account that shows one keeps it.
  private func checkAccount(
    _ claim: AccountClaim, original: TransactionFact.ID, token: UUID?, signed: WallTime,
    now: WallTime
  ) throws(EntitlementRejection) {
    if let token {
      guard let ours = claim.appAccountToken else { throw .accountUnknown }
      guard token == ours else { throw .otherAccount }
    }
    guard case .another(let since) = claim.holder(original) else { return }
    guard claim.asksForTransfer else { throw .heldByAnotherAccount }
    guard now.isWithin(policy.transferFreshnessMilliseconds, of: signed) else {
      throw .transferNeedsFreshStatement
    }
    guard !now.isWithin(policy.transferCooldownMilliseconds, of: since) else {
      throw .transferTooSoon
    }
  }
}

/// Who says that a statement is theirs. Made by whoever authenticated them, never from what they sent.
public struct AccountClaim: Sendable {
  /// The UUID that the app gives the App Store for this account; nil where it is not known yet.
  public var appAccountToken: UUID?
  /// Whether test purchases count for this account.
  public var isTester: Bool
  /// How many facts the account holds; of a purchase that it holds already, one less, as that one is only replaced.
  public var heldFacts: Int
  /// Whether the person asks that a purchase of another account be moved to this one.
  public var asksForTransfer: Bool
  /// Who holds the purchases of an original transaction. A device, which knows its own account only, answers `.nobody`.
  public var holder: @Sendable (TransactionFact.ID) -> PurchaseHolder

  /// A claim.
  public init(
    appAccountToken: UUID?, isTester: Bool = false, heldFacts: Int = 0,
    asksForTransfer: Bool = false,
    holder: @escaping @Sendable (TransactionFact.ID) -> PurchaseHolder = { _ in .nobody }
  ) {
    self.appAccountToken = appAccountToken
    self.isTester = isTester
    self.heldFacts = heldFacts
    self.asksForTransfer = asksForTransfer
    self.holder = holder
  }
}

/// Who holds a purchase.
public enum PurchaseHolder: Hashable, Sendable {
  /// No account; the first claim binds it.
  case nobody
  /// The claiming account.
  case thisAccount
  /// Another one, since then.
  case another(since: WallTime)
}

/// What is stored of an accepted statement: its own text, and the hash it was accepted with.
public struct StoredStatement: Hashable, Sendable {
  /// JWS compact form.
  public let jws: [UInt8]
  /// SHA-256 of it when it was accepted, 32 bytes.
  public let hash: [UInt8]

  /// From storage.
  public init(jws: [UInt8], hash: [UInt8]) {
    self.jws = jws
    self.hash = hash
  }

  /// A statement that was just accepted.
  public init(accepted jws: [UInt8]) {
    self.init(jws: jws, hash: Array(SHA256.hash(data: jws)))
  }

  /// Check 15: the text, if it is still the one that was accepted. Every reader verifies it again; nothing else is stored of it.
  public func intact() throws(EntitlementRejection) -> [UInt8] {
    guard Array(SHA256.hash(data: jws)) == hash else { throw .altered }
    return jws
  }
}

extension WallTime {
  /// Whether two times are at most so far apart.
  fileprivate func isWithin(_ milliseconds: Int64, of other: WallTime) -> Bool {
    let (distance, overflow) = self.milliseconds.subtractingReportingOverflow(other.milliseconds)
    return !overflow && distance.magnitude <= milliseconds.magnitude
  }
}
