// SPDX-License-Identifier: Apache-2.0
// Decodes and validates a request before storage is involved. Pure.

import AtrestEntitlements
import AtrestProtocol
import AtrestReplication
import AtrestWire

/// A request whose offers are decoded and validated. Invalid offers are already refusals, so
/// merging the rest cannot fail because of the request.
package struct PreparedExchange: Sendable {
  /// A valid offer.
  struct PreparedOffer: Sendable {
    /// The offer's index in the request.
    let index: Int
    let offer: Offer
    let key: [UInt8]
    /// The canonical encoding of the offered record.
    let body: [UInt8]
    /// The verified purchase statement. Nil for other kinds and on servers without a policy.
    var statement: AuthenticStatement?

    /// Whether the device deleted the record.
    var deletes: Bool {
      offer.record.isDeleted && offer.written.contains(Register.deletedField)
    }

    /// Whether the device wrote that the record is there.
    var revives: Bool {
      !offer.record.isDeleted && offer.written.contains(Register.deletedField)
    }
  }

  /// Verifies purchases. Nil: purchases are accepted unverified.
  let gate: PurchaseGate?
  /// The account's quota.
  var quota: AccountQuota
  var limits = ExchangeLimits()

  let cursor: Cursor?
  let lastKnownHead: Cursor?
  let segment: OutboxSegment?
  let allowsMassDeletion: Bool
  let items: [PreparedOffer]
  let refusals: [Refusal]
  /// The number of the first check that a purchase failed, or nil.
  let failedCheck: Int?
  /// Whether the request writes nothing, not even the outbox position.
  var onlyReads: Bool {
    items.isEmpty && refusals.isEmpty && segment?.numbers.isEmpty ?? true
  }
  /// Whether every offer is a deletion. Deletions that do not grow a record are accepted while any
  /// disk space is left.
  var onlyDeletes: Bool {
    items.allSatisfy(\.deletes)
  }
  /// Whether purchases were skipped because the account submitted too many invalid ones. The client
  /// must retry.
  let hasTooManyStatements: Bool
  /// Memory charged while the request waits for storage, in bytes.
  let costBytes: Int

  let isPeek: Bool
  /// The sequence up to which the replica holds everything. Nil if the request has offers or only
  /// peeks.
  var acknowledgedSequence: UInt64? {
    items.isEmpty && refusals.isEmpty && !isPeek ? cursor?.sequence : nil
  }

  /// Approximate size of a refusal, in bytes.
  private static let refusalBytes = 192

  /// Validates a request. Takes about 5 µs per offer, plus a millisecond per verified purchase.
  ///
  /// - Parameters:
  ///   - gate: Verifies purchases and charges failures to the account. Nil: accepts them
  ///     unverified.
  ///   - quota: The account's quota.
  ///   - now: The server's clock.
  package init(
    _ request: ExchangeRequest, gate: (PurchaseGate, AccountState)? = nil,
    quota: AccountQuota = .standard, now: WallTime? = nil
  ) {
    var hasTooManyStatements = false
    var failedCheck: Int?
    var items: [PreparedOffer] = []
    var refusals: [Refusal] = []
    var costBytes = 256
    items.reserveCapacity(request.offers.count)
    for (index, bytes) in request.offers.enumerated() {
      do throws(WireError) {
        let offer = try Offer(unpacking: bytes)
        try offer.record.checkPackedKindRules()
        let body = offer.record.packed
        guard body.count <= Record.Limits.encodedBytes(of: offer.record.key.kind) else {
          refusals.append(.tooLarge(index))
          costBytes += Self.refusalBytes
          continue
        }
        var item = PreparedOffer(
          index: index, offer: offer, key: offer.record.key.storageKey, body: body)
        if let gate, let now, offer.record.key.kind == .entitlement {
          let jws = try EntitlementMessage(unpacking: offer.record.message).signedTransaction
          switch gate.0.authenticate(jws, for: gate.1, now: now) {
          case .success(let statement)?: item.statement = statement
          case .failure(let error)?:
            failedCheck = failedCheck ?? error.check
            refusals.append(.unverified(index, error))
            costBytes += Self.refusalBytes
            continue
          case nil:
            hasTooManyStatements = true
            continue
          }
        }
        costBytes += body.count * 3 + 128
        items.append(item)
      } catch {
        refusals.append(Refusal(index: index, error))
        costBytes += Self.refusalBytes
      }
    }
    self.hasTooManyStatements = hasTooManyStatements
    self.gate = gate?.0
    self.quota = quota
    cursor = request.cursor
    lastKnownHead = request.lastKnownHead
    segment = request.segment
    allowsMassDeletion = request.allowsMassDeletion
    isPeek = request.isPeek
    self.items = items
    self.refusals = refusals
    self.failedCheck = failedCheck
    self.costBytes = costBytes
  }
}

extension PreparedExchange.PreparedOffer {
  /// Wraps a purchase that was not offered in an exchange. Nil if it does not form a valid record.
  init?(purchase jws: [UInt8], _ statement: AuthenticStatement) {
    guard let record = EntitlementField.record(jws: jws) else { return nil }
    self.init(
      index: 0, offer: Offer(record: record, written: []), key: record.key.storageKey,
      body: record.packed, statement: statement)
    guard body.count <= Record.Limits.encodedBytes else { return nil }
    do { try record.checkPackedKindRules() } catch { return nil }
  }
}

extension Refusal {
  init(index: Int, _ error: WireError) {
    if error == .tooLong {
      self = .tooLarge(index)
    } else {
      let message = error.rule.map { "The record breaks a rule: \($0)." }
      self.init(index: index, reason: .invalid, message: message ?? "The record cannot be read.")
    }
  }

  static func tooLarge(_ index: Int) -> Refusal {
    Refusal(
      index: index, reason: .tooLarge,
      message: "The record or one of its values is too large.")
  }

  /// Repeats an earlier refusal.
  init(index: Int, again reason: Refusal.Reason) {
    switch reason {
    case .tooLarge: self = .tooLarge(index)
    case .massDeletion: self = .massDeletion(index)
    case .quota: self = .quota(index, .standard)
    case .damaged: self = .damaged(index)
    case .clockSkew: self = .clockSkew(index)
    default: self.init(index: index, reason: reason, message: "The record breaks a rule.")
    }
  }

  static func massDeletion(_ index: Int) -> Refusal {
    Refusal(
      index: index, reason: .massDeletion,
      message: "More than half of the account's records would be deleted within a day.")
  }

  static func quota(_ index: Int, _ quota: AccountQuota) -> Refusal {
    Refusal(
      index: index, reason: .quota,
      message: quota.isDiskFull
        ? "The server's disk is full: until there is room, it only lets go of what it holds."
        : "The account is full: the server's owner lets it hold no more.")
  }

  static func tooMuchAtOnce(_ index: Int) -> Refusal {
    Refusal(
      index: index, reason: .quota,
      message: "The request would write too much at once: offer this record in another one.")
  }

  static func damaged(_ index: Int) -> Refusal {
    Refusal(
      index: index, reason: .damaged,
      message: "What the server holds of this record is damaged.")
  }

  static func clockSkew(_ index: Int) -> Refusal {
    Refusal(
      index: index, reason: .clockSkew,
      message: "It was written more than a minute ahead of the server's clock.")
  }
}
