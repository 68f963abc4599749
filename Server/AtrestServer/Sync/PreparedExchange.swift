// SPDX-License-Identifier: Apache-2.0
// Decides what of a request is fit to be merged, before storage is asked anything. Pure.

import AtrestEntitlements
import AtrestProtocol
import AtrestReplication

/// A request whose offers have been decoded and checked. What was wrong with an offer is a refusal
/// already, so that merging the rest cannot fail for a reason of the request's own.
package struct PreparedExchange: Sendable {
  /// An offer that keeps the rules.
  struct PreparedOffer: Sendable {
    /// Its index in the request.
    let index: Int
    let offer: Offer
    /// See `RecordKey.storageKey`.
    let key: [UInt8]
    /// The offered record's canonical bytes.
    let body: [UInt8]
    /// What verified of a purchase; nil for other kinds, and on servers that verify nothing.
    var statement: AuthenticStatement?
  }

  /// Verifies purchases; nil where they are taken in as they are.
  let gate: PurchaseGate?
  /// What the account may hold.
  var quota: AccountQuota
  /// Records of the answer, at most.
  var pageRecords = Page.records

  let cursor: Cursor?
  let lastKnownHead: Cursor?
  let segment: OutboxSegment?
  let allowsMassDeletion: Bool
  let items: [PreparedOffer]
  let refusals: [Refusal]
  /// The check that the first purchase failed which did not verify; nil if there was none.
  let failedCheck: Int?
  /// Whether nothing is to be written: not even how far the device's outbox was gone through.
  var onlyReads: Bool { items.isEmpty && refusals.isEmpty && segment == nil }
  /// Whether each offer deletes something: these are taken as long as there is any room at all, if
  /// nothing grows by it.
  var onlyDeletes: Bool {
    items.allSatisfy {
      $0.offer.record.isDeleted && $0.offer.written.contains(Register.deletedField)
    }
  }
  /// Whether purchases were not looked at, because its account showed too many that did not verify:
  /// it is to be asked again.
  let hasTooManyStatements: Bool
  /// Bytes this holds while it waits for storage.
  let costBytes: Int

  let isPeek: Bool
  /// Up to where the replica holds everything, if it says so: it has nothing to offer.
  var acknowledgedSequence: UInt64? {
    items.isEmpty && refusals.isEmpty && !isPeek ? cursor?.sequence : nil
  }

  /// Bytes a refusal holds, about.
  private static let refusalBytes = 192

  /// Checks a request. About 5 us an offer, and a millisecond for a purchase that is verified.
  ///
  /// - Parameters:
  ///   - gate: Verifies purchases, at the account's expense; nil to take them in as they are.
  ///   - quota: What the account may hold.
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
        let offer = try Offer(decoding: bytes)
        try offer.record.checkKindRules()
        let body = offer.record.encoded
        guard body.count <= Record.Limits.encodedBytes else {
          refusals.append(.tooLarge(index))
          costBytes += Self.refusalBytes
          continue
        }
        var item = PreparedOffer(
          index: index, offer: offer, key: offer.record.key.storageKey, body: body)
        if let gate, let now, offer.record.key.kind == .entitlement {
          let jws = try EntitlementField.jws(of: offer.record)
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
  /// A purchase that did not come as an offer; nil if it cannot be a record.
  init?(purchase jws: [UInt8], _ statement: AuthenticStatement) {
    guard let record = EntitlementField.record(jws: jws) else { return nil }
    self.init(
      index: 0, offer: Offer(record: record, written: []), key: record.key.storageKey,
      body: record.encoded, statement: statement)
    guard body.count <= Record.Limits.encodedBytes else { return nil }
    do { try record.checkKindRules() } catch { return nil }
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

  /// What was said of an offer before, said again.
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
      message: "The request would delete more than half of the account's records.")
  }

  static func quota(_ index: Int, _ quota: AccountQuota) -> Refusal {
    Refusal(
      index: index, reason: .quota,
      message: quota.isDiskFull
        ? "The server's disk is full: until there is room, it only lets go of what it holds."
        : "The account is full: the server's owner lets it hold no more.")
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
