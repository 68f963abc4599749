// SPDX-License-Identifier: Apache-2.0
// How an answer moves the stored position, and when it comes too late for that.

import AtrestWire

extension ReplicaState {
  /// Whether another sync of this replica moved the cursor since a request was made. The answering
  /// server was not asked about that cursor and may have been restored from before it, so its
  /// answer must be discarded, unless it tells the same head as the answer that moved the cursor.
  package func hasOvertaken(_ answer: ExchangeResponse, to request: ExchangeRequest) -> Bool {
    cursor != request.cursor && head != answer.head
  }

  /// Moves the head, and the cursor unless another sync of this replica has moved that in the
  /// meantime.
  package mutating func advance(by answer: ExchangeResponse, to request: ExchangeRequest) {
    if cursor == request.cursor {
      cursor = answer.cursor(afterRestart: answer.isRestart(after: request))
    }
    head = answer.head
  }
}
