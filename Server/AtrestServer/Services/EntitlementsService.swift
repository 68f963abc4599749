// SPDX-License-Identifier: Apache-2.0
// The Entitlements service: accepts purchases and issues the account's app account token.

import AtrestDomain
import AtrestEntitlements
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Logging

/// Implements the Entitlements service, independent of connections.
package final class EntitlementsService: Sendable {
  /// The number at which `get` stops counting statements.
  private static let countLimit = 4096

  private let queue: any StorageQueue
  private let gate: PurchaseGate?
  private let quota: AccountQuota
  private let environment: Environment
  private let logger: Logger

  /// Whether the server has a policy to verify purchases by.
  var verifies: Bool { gate != nil }

  /// Creates the service. Without a gate it rejects all purchases.
  package init(
    queue: any StorageQueue, gate: PurchaseGate?, quota: AccountQuota = .standard,
    environment: Environment, logger: Logger
  ) {
    self.queue = queue
    self.gate = gate
    self.quota = quota
    self.environment = environment
    self.logger = logger
  }

  /// Verifies a statement for the caller's account and stores it as a record that devices receive.
  package func submit(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(EntitlementsSubmitRequest.self, bytes)
    guard let gate else { throw .noPolicy }
    let now = environment.now()
    let statement: AuthenticStatement
    switch gate.authenticate(request.signedTransaction, for: session.account, now: now) {
    case .success(let known)?: statement = known
    case .failure(let error)?: return refused(error, session, now)
    case nil: throw .tooManyStatements
    }
    guard let item = PreparedExchange.PreparedOffer(purchase: request.signedTransaction, statement)
    else {
      return refused(.malformed, session, now)
    }
    let quota = quota
    try queue.perform(
      by: .device(session), use: .writes, costBytes: item.body.count * 3 + 256, answer: answer()
    ) {
      batch throws(StoreError) -> (rejection: EntitlementRejection?, failure: Status?) in
      let account = session.account.id
      guard try batch.allows(session) else { return (nil, .unknownDevice) }
      let feed = try batch.feed(of: account)
      // Check before the purchase is bound to an account that has no room for it.
      guard try Exchange.hasRoom(for: item, quota, feed) else { return (nil, .fullAccount) }
      let before = try gate.holder(of: statement, in: batch.transaction)
      let rejection = try gate.admit(
        statement, key: item.key, to: feed, asksForTransfer: request.transfer, now: now)
      if let rejection { return (rejection, nil) }
      let last = feed.last
      // The statement was signed ahead of this server's clock, but within the tolerance of check
      // 12. Its stamp cannot be corrected.
      guard try Exchange.store(item, quota, feed, now) else { return (.signedInTheFuture, nil) }
      if feed.last != last {
        try batch.transaction.events.append([
          NewEvent(.purchaseTaken, of: account, at: now, actor: session.replica)
        ])
      }
      if let before, before != account {
        try batch.transaction.events.append([
          NewEvent(.purchaseMoved, of: account, at: now, actor: session.replica, detail: 1),
          NewEvent(.purchaseMoved, of: before, at: now, detail: 2),
        ])
      }
      return (nil, nil)
    } reply: { [self] rejection, failure in
      if let failure { return .fail(failure) }
      if let rejection { return refused(rejection, session, now) }
      if request.transfer {
        logger.notice(
          "a purchase was taken in, moved if another account held it",
          metadata: ["account": "\(session.account.id.rawValue)"])
      }
      return .reply(EntitlementsSubmitResponse(rejection).packed)
    }
    return .later
  }

  /// Returns the account's app account token and the number of its statements.
  package func get(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    let environment = environment
    let draws = (0..<DevicesService.draws).map { _ in PurchaseGate.token(environment) }
    let verifies = verifies
    try queue.perform(by: .device(session), use: .writes, answer: answer()) {
      batch throws(StoreError) -> (token: [UInt8]?, held: Int)? in
      guard try batch.allows(session) else { return nil }
      let account = session.account.id
      let held = try PurchaseGate.held(
        by: try batch.feed(of: account), upTo: Self.countLimit)
      for draw in draws {
        let token = try batch.transaction.purchases.appAccountToken(of: account, orElse: draw)
        if let token { return (token, held) }
      }
      return (nil, held)
    } reply: { found in
      guard let found else { return .fail(.unknownDevice) }
      guard let token = found.token else { return .fail(.busy) }
      return .reply(
        EntitlementsGetResponse(
          appAccountToken: token, verifies: verifies, held: UInt32(clamping: found.held),
          serverTime: environment.now()
        ).packed)
    }
    return .later
  }

  private func refused(
    _ rejection: EntitlementRejection, _ session: DeviceSession, _ now: WallTime
  ) -> UnaryOutcome {
    queue.note(
      NewEvent(
        .purchaseRefused, of: session.account.id, at: now, actor: session.replica,
        detail: Int64(rejection.check)))
    logger.info("a purchase was refused", metadata: ["code": "\(rejection.rawValue)"])
    return .reply(EntitlementsSubmitResponse(rejection).packed)
  }
}

extension Status {
  static let noPolicy = Status(
    .failedPrecondition,
    "This server does not verify purchases. Whoever runs it names Apple's root certificate and the app to begin."
  )
  .because(.purchasesUnverified)
}
