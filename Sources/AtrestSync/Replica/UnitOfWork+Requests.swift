// SPDX-License-Identifier: Apache-2.0
// Carries out what a sync asks of its store.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Carries out a request of `SyncCycle` or `SyncFollower`. The reply is told to it once the
  /// transaction is committed.
  package mutating func reply(to request: StoreRequest) throws(ReplicaError) -> StoreReply {
    switch request {
    case .position: return .position(position)
    case .nextPage(let number): return .page(try outbox.page(after: number))
    case .lastRefused: return .sequence(try outbox.lastRefused())
    case .retryRefused(let sequence): try outbox.retryRefused(through: sequence)
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
    case .merge(let records, let wanted, let head):
      return .applied(try merge(records, offering: wanted, asKnowing: head))
    case .endReconcile(let demand): endReconcile(demand)
    case .noteSync(let now): noteSync(at: now)
    }
    return .done
  }

  /// The position and credential to show in a request.
  package var position: SyncPosition {
    SyncPosition(
      cursor: tables.state.cursor, lastKnownHead: tables.state.lastKnownHead,
      credential: tables.state.token)
  }
}
