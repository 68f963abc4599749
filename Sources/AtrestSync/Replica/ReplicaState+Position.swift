// SPDX-License-Identifier: Apache-2.0
// How an answer moves the stored position, and when it comes too late for that.

import AtrestWire

extension ReplicaState {
  /// Whether another sync of this replica learned another head since a request was made. The
  /// answering server was not asked about that head and may have been restored from before it, so
  /// its answer must be discarded.
  package func hasOvertaken(_ answer: ExchangeResponse, to request: ExchangeRequest) -> Bool {
    guard let known = lastKnownHead else { return false }
    return known != request.lastKnownHead ?? request.cursor && known != answer.head
  }

  /// Moves the head, and the cursor unless another sync of this replica has moved that in the
  /// meantime.
  package mutating func advance(by answer: ExchangeResponse, to request: ExchangeRequest) {
    if cursor == request.cursor {
      cursor = answer.cursor(afterRestart: answer.isRestart(after: request))
    }
    lastKnownHead = answer.head
  }
}
