// SPDX-License-Identifier: Apache-2.0
// Why a signed statement does not count, each with a sentence for people.

import AtrestDomain

/// Why a signed statement does not count. No case carries a value of the statement, so all are safe
/// to log.
///
/// The checks run in numerical order; the first failure is reported.
public enum EntitlementRejection: String, Error, Hashable, Sendable, CaseIterable {
  /// 1. Longer than `SignedTransaction.limitBytes`.
  case tooLarge = "TOO_LARGE"
  /// 1. The account is at its limit of facts.
  case tooManyFacts = "TOO_MANY_FACTS"
  /// 2. Not three strict base64url parts of JSON with unique names, or a claim has the wrong type.
  case malformed = "MALFORMED"
  /// 2. The algorithm is not ES256, or the header has a critical extension.
  case wrongAlgorithm = "WRONG_ALGORITHM"
  /// 2. The header does not contain three certificates.
  case wrongCertificateCount = "WRONG_CERTIFICATE_COUNT"
  /// 2. The signature is not 64 bytes.
  case malformedSignature = "MALFORMED_SIGNATURE"
  /// 3. The path does not end at a root that the policy trusts.
  case untrustedRoot = "UNTRUSTED_ROOT"
  /// 4. A certificate was not valid at the time of signing, or may not sign what it signed.
  case certificateNotValid = "CERTIFICATE_NOT_VALID"
  /// 5. The certificates lack the extensions of App Store signers.
  case notAnAppStoreCertificate = "NOT_AN_APP_STORE_CERTIFICATE"
  /// 6. A certificate of the path was revoked.
  case certificateRevoked = "CERTIFICATE_REVOKED"
  /// 6. Revocation could not be checked. Neither a grant nor a denial.
  case revocationUnknown = "REVOCATION_UNKNOWN"
  /// 7. The signature does not match the statement.
  case badSignature = "BAD_SIGNATURE"
  /// 8. For another app.
  case otherApp = "OTHER_APP"
  /// 9. From Xcode or another local test environment, which does not sign.
  case localTesting = "LOCAL_TESTING"
  /// 9. Sandbox where production counts and the account is no tester, or production where sandbox
  ///   counts.
  case otherEnvironment = "OTHER_ENVIRONMENT"
  /// 10. An unknown product.
  case unknownProduct = "UNKNOWN_PRODUCT"
  /// 10. A known product with the wrong type.
  case wrongProductType = "WRONG_PRODUCT_TYPE"
  /// 11. Renewal information without a verified purchase of its subscription.
  case renewalWithoutTransaction = "RENEWAL_WITHOUT_TRANSACTION"
  /// 12. Signed in the future by more than the tolerance.
  case signedInTheFuture = "SIGNED_IN_THE_FUTURE"
  /// 13. The App Store bound it to another account.
  case otherAccount = "OTHER_ACCOUNT"
  /// 13. The App Store bound it to an account, and this device does not know its own account's
  ///   token yet.
  case accountUnknown = "ACCOUNT_UNKNOWN"
  /// 13. Another account holds this purchase.
  case heldByAnotherAccount = "HELD_BY_ANOTHER_ACCOUNT"
  /// 13. A transfer requires a recently signed statement.
  case transferNeedsFreshStatement = "TRANSFER_NEEDS_FRESH_STATEMENT"
  /// 13. The purchase was transferred too recently.
  case transferTooSoon = "TRANSFER_TOO_SOON"
  /// 14. Neither purchased nor family-shared.
  case unknownOwnership = "UNKNOWN_OWNERSHIP"
  /// 15. The stored statement does not match its hash.
  case altered = "ALTERED"

  /// The number of the check that failed, 1 to 15.
  public var check: Int {
    switch self {
    case .tooLarge, .tooManyFacts: 1
    case .malformed, .wrongAlgorithm, .wrongCertificateCount, .malformedSignature: 2
    case .untrustedRoot: 3
    case .certificateNotValid: 4
    case .notAnAppStoreCertificate: 5
    case .certificateRevoked, .revocationUnknown: 6
    case .badSignature: 7
    case .otherApp: 8
    case .localTesting, .otherEnvironment: 9
    case .unknownProduct, .wrongProductType: 10
    case .renewalWithoutTransaction: 11
    case .signedInTheFuture: 12
    case .otherAccount, .accountUnknown, .heldByAnotherAccount, .transferNeedsFreshStatement,
      .transferTooSoon:
      13
    case .unknownOwnership: 14
    case .altered: 15
    }
  }

  /// Whether the same statement may pass later. Until then its grant is unknown, not absent.
  public var isRetryable: Bool {
    switch self {
    case .revocationUnknown, .renewalWithoutTransaction, .signedInTheFuture, .accountUnknown: true
    default: false
    }
  }

  /// Whether a statement with this rejection leaves open that there is a purchase: it may pass
  /// later, or for a reader that trusts another root or knows a newer product. A person who paid
  /// must not be told otherwise because a device is misconfigured.
  public var leavesOpen: Bool {
    isRetryable || self == .untrustedRoot || self == .unknownProduct
  }

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .tooLarge:
      "This is too long for a signed App Store transaction. Take it from the App Store as it is."
    case .tooManyFacts:
      "This account already keeps as many purchases as it may. Ask whoever runs the server."
    case .malformed:
      "This is not a signed App Store transaction. Take it from the App Store as it is."
    case .wrongAlgorithm:
      "This is signed in a way the App Store does not use. Take it from the App Store as it is."
    case .wrongCertificateCount:
      "This does not carry the App Store's three certificates. Take it from the App Store as it is."
    case .malformedSignature:
      "The signature is cut or changed. Take the transaction from the App Store again."
    case .untrustedRoot:
      "The App Store did not sign this, or the root certificate set here is not Apple's. Check the root certificate."
    case .certificateNotValid:
      "A certificate of this transaction did not hold when it was signed. Take it from the App Store again."
    case .notAnAppStoreCertificate:
      "Apple signed this, but not as the App Store. Send a transaction that the App Store signed."
    case .certificateRevoked:
      "Apple withdrew a certificate of this transaction. Take it from the App Store again."
    case .revocationUnknown:
      "Apple could not be asked about a certificate just now. Nothing has changed; try again later."
    case .badSignature:
      "The transaction was changed after it was signed. Take it from the App Store again."
    case .otherApp:
      "This purchase was made in another app. Send one made in this app."
    case .localTesting:
      "This purchase was made in a local test, where nobody signs. Send one that the App Store signed."
    case .otherEnvironment:
      "This purchase belongs to the App Store's other environment. Ask whoever runs the server whether it accepts test purchases."
    case .unknownProduct:
      "This server does not know the product that was bought. Ask whoever runs it to update it."
    case .wrongProductType:
      "The product was sold as something else than it is. Take the transaction from the App Store again."
    case .renewalWithoutTransaction:
      "The purchase that this renewal belongs to is not known here. Send the purchase first."
    case .signedInTheFuture:
      "This was signed later than it is now here. Check the date and time of this machine."
    case .otherAccount:
      "This purchase was made for another account. Use it with the account it was made for."
    case .accountUnknown:
      "This purchase names an account, and this device does not know yet which is its own. Sync once, then try again."
    case .heldByAnotherAccount:
      "Another account uses this purchase. Ask for a transfer if it is to move to this one."
    case .transferNeedsFreshStatement:
      "A transfer needs a transaction signed just now. Restore purchases in the app, then send the new one."
    case .transferTooSoon:
      "This purchase moved to another account within the last day. Try again tomorrow."
    case .unknownOwnership:
      "It is not clear whether this was bought or shared in a family. Take it from the App Store again."
    case .altered:
      "What is stored is not what was accepted. Send the transaction again."
    }
  }
}
