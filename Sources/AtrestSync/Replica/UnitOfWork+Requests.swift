// SPDX-License-Identifier: Apache-2.0
// Carries out what a sync asks of its store.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Carries out a request of `SyncCycle` or `SyncFollower`. The reply is told to it once the
  /// transaction is committed.
  ///
  /// - Parameter pageRecords: The most offers per page.
  package mutating func reply(
    to request: StoreRequest, pageRecords: Int = Page.records
  ) throws(ReplicaError) -> StoreReply {
    switch request {
    case .position: return .position(position)
    case .nextPage(let number): return .page(try outbox.page(after: number, of: pageRecords))
    case .lastRefused: return .sequence(try outbox.lastRefused())
    case .retryRefused(let sequence): try outbox.retryRefused(through: sequence)
    case .hasWaitingWrites: return .waiting(try outbox.hasWaiting())
    case .holdMassDeletion(let areAllowed):
      let decision = try massDeletions.decide(areAllowed: areAllowed)
      if !decision.isSettled { try massDeletions.hold(decision) }
      return .held(decision.held)
    case .apply(let answer, let attempt, let reading):
      return .applied(try apply(answer, to: attempt.request, page: attempt.page, at: reading))
    case .applyEvent(let event, let now): return .applied(try apply(event, at: now))
    case .restamp(let now): try restamp(at: now)
    case .renewal: return .renewal(renewal())
    case .adopt(let identity, let credential):
      return .adopted(try adopt(renewed: identity, insteadOf: credential))
    case .reconcileDemand: return .demand(tables.state.mustReconcile)
    case .hashes: return .hashes(try records.hashes())
    case .merge(let records, let wanted, let cursor):
      return .applied(try merge(records, offering: wanted, at: cursor))
    case .endReconcile(let demand): try endReconcile(demand)
    case .noteSync(let now): noteSync(at: now)
    }
    return .done
  }

  /// Carries out a request that has nothing to write. An owner whose transactions that only read
  /// are cheaper tries this in one first, if the request `mayOnlyRead`.
  ///
  /// - Returns: nil if the request has to write. Then nothing is changed.
  package mutating func replyWithoutWriting(
    to request: StoreRequest
  ) throws(ReplicaError) -> StoreReply? {
    guard request.mayOnlyRead else { return nil }
    if case .nextPage = request, try outbox.hasWaiting() { return nil }
    if case .holdMassDeletion(let areAllowed) = request {
      return try massDeletions.decide(areAllowed: areAllowed).isSettled ? .held(nil) : nil
    }
    return try reply(to: request)
  }

  /// The position and credential to show in a request.
  package var position: SyncPosition {
    let state = tables.state
    return SyncPosition(cursor: state.cursor, head: state.head, credential: state.token)
  }
}
