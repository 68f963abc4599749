// SPDX-License-Identifier: Apache-2.0
// A replica's position in its account's feed, and how an answer moves it.

import AtrestReplication
import AtrestWire

/// The position and credential that a replica shows in a request.
public struct SyncPosition: Hashable, Sendable {
  /// The end of what the replica has; nil before the first answer.
  public var cursor: Cursor?
  /// The account's head according to the newest answer; nil before the first one. All acknowledged
  /// writes lie before it.
  public var lastKnownHead: Cursor?
  /// The secret of its identity; nil if the transport has its own.
  public var credential: String?

  /// Creates a position; nil before the first answer.
  public init(cursor: Cursor? = nil, lastKnownHead: Cursor? = nil, credential: String? = nil) {
    self.cursor = cursor
    self.lastKnownHead = lastKnownHead
    self.credential = credential
  }
}

extension ExchangeResponse {
  /// Whether the server lost what this replica had seen: it says so, or its feed or head went back.
  func isRestart(after request: ExchangeRequest) -> Bool {
    restarted || (request.cursor?.sequence ?? 0) > cursor.sequence
      || (request.lastKnownHead?.sequence ?? 0) > head.sequence
  }

  /// The cursor after this answer. After a restart it is the head, because missing records are
  /// found by reconciling.
  func cursor(afterRestart isRestart: Bool) -> Cursor { isRestart ? head : cursor }
}

extension ReplicaState {
  /// Whether another sync of this replica learned another head since a request was made. The
  /// answering server was not asked about that head and may have been restored from before it, so
  /// its answer must be discarded.
  func hasOvertaken(_ answer: ExchangeResponse, to request: ExchangeRequest) -> Bool {
    guard let known = lastKnownHead else { return false }
    return known != request.lastKnownHead ?? request.cursor && known != answer.head
  }

  /// Moves the head, and the cursor unless another sync of this replica has moved that in the
  /// meantime.
  mutating func advance(by answer: ExchangeResponse, to request: ExchangeRequest) {
    if cursor == request.cursor {
      cursor = answer.cursor(afterRestart: answer.isRestart(after: request))
    }
    lastKnownHead = answer.head
  }
}
