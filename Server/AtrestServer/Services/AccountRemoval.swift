// SPDX-License-Identifier: Apache-2.0
// Removes an account with everything that the store holds of it, for a device or for the operator.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire

extension DevicesService {
  /// The account to remove, or the reason for refusing.
  enum Removal: Sendable {
    case account(AccountID)
    case refused(Status)
  }

  /// Removes the account that `find` returns within the transaction. Responds once no database file
  /// contains its values, or once rewriting the files has failed. The operator is told about that
  /// failure. A device is not, because it cannot act on it.
  ///
  /// - Parameter actor: The device that asks. Nil: the server's operator.
  func removeAccount(
    by actor: ReplicaID?, for payer: Payer, answer: Answer,
    find: @escaping @Sendable (Batch) throws(StoreError) -> Removal
  ) throws(Status) {
    let now = environment.now()
    let job = Operation(by: payer, use: .clears) { batch throws(StoreError) -> Removal in
      let found = try find(batch)
      guard case .account(let id) = found else { return found }
      try batch.remove(id)
      try batch.transaction.events.append([
        NewEvent(.accountRemoved, of: id, at: now, actor: actor)
      ])
      return found
    } completion: { [self] result, answers in
      switch result {
      case .success(.account(let id)):
        // Making the files anew takes longer than the calls of a revoked device may.
        let caller = actor.flatMap { registry.session($0) }
        forget(id, answering: caller)
        queue.erase { isErased in
          let isTold = isErased || actor != nil
          var answers = ResponseBatch()
          answer(isTold ? .reply(EmptyMessage().packed) : .fail(.notErased), &answers)
          answers.deliver()
          caller?.endCalls()
        }
      case .success(.refused(let status)): answer(.fail(status), &answers)
      case .failure(let error): answer(.fail(Status(error)), &answers)
      }
    }
    guard queue.submit(job) else { throw .busy }
  }
}
