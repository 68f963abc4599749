// SPDX-License-Identifier: Apache-2.0
// Decides which App Store statements a server accepts: those that verify under its policy, each for
// one account.

import AtrestCrypto
import AtrestDomain
import AtrestEntitlements
import AtrestFoundation
import AtrestReplication
import AtrestWire
import Foundation
import Synchronization

/// Verifies purchases under the operator's policy. Thread-safe.
///
/// Signatures are verified on the caller's shard, before storage is involved. Ownership is checked
/// in the transaction that stores the statement.
package final class PurchaseGate: Sendable {
  /// Maximum number of cached verified statements, about a kilobyte each. A repeated offer then
  /// costs one hash.
  static let knownLimit = 4096

  let verifier: TransactionVerifier
  private let drawToken: @Sendable () -> [UInt8]
  private let known = Mutex<[[UInt8]: AuthenticStatement]>([:])

  /// Creates a gate.
  ///
  /// - Parameter environment: The source of app account tokens.
  package init(policy: VerificationPolicy, environment: Environment) {
    verifier = TransactionVerifier(policy: policy)
    drawToken = { Self.token(environment) }
  }

  /// Draws a UUID, version 4.
  static func token(_ environment: Environment) -> [UInt8] {
    var bytes = environment.random(EntitlementsGetResponse.tokenBytes)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes
  }

  /// Runs the checks that need no account data, within the account's rate limit for invalid
  /// statements.
  ///
  /// - Returns: Nil if the rate limit is exhausted: a statement that was not verified must not be
  ///   refused for good.
  func authenticate(
    _ jws: [UInt8], for account: AccountState, now: WallTime
  ) -> Result<AuthenticStatement, EntitlementRejection>? {
    guard account.mayShowStatements(at: now) else { return nil }
    do throws(EntitlementRejection) { return .success(try authenticate(jws, now: now)) } catch {
      account.noteBadStatement(at: now)
      return .failure(error)
    }
  }

  /// Runs the checks that need no account data.
  ///
  /// - Complexity: About 3 ms, or one hash for a cached statement.
  func authenticate(
    _ jws: [UInt8], now: WallTime
  ) throws(EntitlementRejection) -> AuthenticStatement {
    guard jws.count <= SignedTransaction.limitBytes else { throw .tooLarge }
    let digest = SHA256.hash(jws)
    if let statement = known.withLock({ $0[digest] }) { return statement }
    let statement = try verifier.authenticate(jws, isTester: false, now: now)
    known.withLock { known in
      if known.count >= Self.knownLimit { known.removeAll(keepingCapacity: true) }
      known[digest] = statement
    }
    return statement
  }

  /// Runs the checks that need the account, and binds the purchase to it. Call in the transaction
  /// that stores the statement.
  ///
  /// - Parameters:
  ///   - key: The record's storage key.
  ///   - feed: The account's feed.
  ///   - asksForTransfer: Whether a purchase of another account may move to this one.
  /// - Returns: The rejection, or nil if the purchase is accepted.
  func admit(
    _ statement: AuthenticStatement, key: [UInt8], to feed: AccountFeed,
    asksForTransfer: Bool = false, now: WallTime
  ) throws(StoreError) -> EntitlementRejection? {
    let (account, purchases) = (feed.account, feed.transaction.purchases)
    let isKnown = try feed.find(key) != nil
    // A later statement about a purchase replaces the earlier one, so a full account still accepts
    // a refund.
    let limit = verifier.policy.factsPerAccount
    let held = isKnown ? 0 : try Self.held(by: feed, upTo: limit)
    guard held < limit else { return .tooManyFacts }
    switch statement {
    case .renewal(let fact):
      let holder = try purchases.holder(of: PurchaseKey(fact.originalID))
      return holder?.account == account ? nil : .renewalWithoutTransaction
    case .transaction(let purchase):
      let original = PurchaseKey(purchase.originalID)
      // A revocation reaches every account that has the purchase, even one from which it was moved.
      let takesAway = isKnown && purchase.isRevocation
      let holder = try purchases.holder(of: original)
      let token = try purchases.appAccountToken(of: account, orElse: drawToken())
      let claim = AccountClaim(
        appAccountToken: token.flatMap { UUID(bytes: $0) }, heldFacts: held,
        asksForTransfer: asksForTransfer,
        holder: { _ in
          guard let holder else { return .nobody }
          return holder.account == account || takesAway
            ? .thisAccount : .another(since: holder.since)
        })
      do throws(EntitlementRejection) {
        _ = try verifier.admit(purchase, for: claim, now: now)
      } catch {
        return error
      }
      if holder?.account != account, holder == nil || !takesAway {
        try purchases.setHolder(account, since: now, of: original)
      }
      return nil
    }
  }

  /// The account that holds the statement's purchase. Nil if none does, or if the statement is a
  /// renewal.
  func holder(
    of statement: AuthenticStatement, in transaction: any StoreTransaction
  ) throws(StoreError) -> AccountID? {
    guard case .transaction(let purchase) = statement else { return nil }
    return try transaction.purchases.holder(of: PurchaseKey(purchase.originalID))?.account
  }

  /// The number of statements that an account holds, at most `limit`. It may exceed the policy's
  /// maximum if the account is older than the policy.
  static func held(by feed: AccountFeed, upTo limit: Int) throws(StoreError) -> Int {
    // The current request's statements count, too.
    try feed.write()
    var count = 0
    let kind = RecordKind.entitlement.rawValue
    let all = KeyInterval(from: prefix(kind), to: prefix(kind + 1))
    try feed.transaction.records.scan(all, of: feed.account) { _, _ in
      count += 1
      return count < limit
    }
    return count
  }

  private static func prefix(_ kind: UInt32) -> [UInt8] {
    withUnsafeBytes(of: kind.bigEndian) { Array($0) }
  }
}

extension PurchaseKey {
  init(_ id: TransactionFact.ID) {
    self.init(environment: id.environment.rawValue, original: id.transactionID)
  }
}

extension EntitlementsSubmitResponse {
  init(_ rejection: EntitlementRejection?) {
    self.init(
      rejection: rejection.map {
        Rejection(
          code: $0.rawValue, check: UInt32(clamping: $0.check), message: $0.userMessage,
          retryable: $0.isRetryable)
      })
  }
}

extension Refusal {
  /// Kept short, because up to a thousand refusals share a response with records.
  static func unverified(_ index: Int, _ rejection: EntitlementRejection) -> Refusal {
    Refusal(
      index: index, reason: .invalid,
      message: "The purchase does not verify: \(rejection.rawValue), check \(rejection.check).")
  }
}
